// Costs that should not grow with the number of samples: evaluating the order, opening a file, and, per sample, loading
// and serving.
#include <algorithm>
#include <octavo/octavo.hpp>
#include <vector>

#include "kernels/cpu/permute.hpp"
#include "support/packed_file.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;

constexpr std::int64_t kPositions = 1 << 20;

/// Checks both ends of the order: it is a bijection, and the vector code agrees with the definition.
void check(const OrderKey& key) {
  std::vector<std::int64_t> rows(1000);
  for (const std::int64_t first : {std::int64_t{0}, key.sample_count - 1000}) {
    cpu::permute_range(key, first, 1000, rows.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      require(rows[i] == permute(key, first + static_cast<std::int64_t>(i)), "the order");
    }
    std::sort(rows.begin(), rows.end());
    require(std::adjacent_find(rows.begin(), rows.end()) == rows.end() && rows.front() >= 0 &&
                rows.back() < key.sample_count,
            "the order");
  }
}

std::string power_of_ten(std::int64_t count) { return "10^" + std::to_string(std::to_string(count).size() - 1); }

Subject order(std::int64_t sample_count) {
  const OrderKey key = make_order_key(sample_count, 1, 1, true);
  check(key);
  return {"order of " + power_of_ten(sample_count) + " samples, a million positions", 0, [key] {
            std::vector<std::int64_t> rows(1024);
            const std::int64_t stride = key.sample_count / (kPositions / 1024);
            return seconds_of([&] {
              for (std::int64_t i = 0; i < kPositions / 1024; ++i) {
                cpu::permute_range(key, std::min(i * stride, key.sample_count - 1024), 1024, rows.data());
              }
            });
          }};
}

Subject open_file(const std::filesystem::path& path, std::int64_t sample_count) {
  return {"open a file of " + power_of_ten(sample_count) + " samples", 0, [=] {
            return seconds_of(
                [&] { require(octavo::Dataset::open(path).split("train").sample_count() == sample_count, "opening"); });
          }};
}

/// Seconds for a million samples, for any number of samples.
Subject load_file(const std::filesystem::path& path, std::int64_t sample_count) {
  return {"load " + power_of_ten(sample_count) + " samples, a million of them", 0, [=] {
            const octavo::Split train = octavo::Dataset::open(path).split("train");
            const double seconds = seconds_of([&] { octavo::Store::load(train, octavo::Device::cpu()); });
            return seconds / static_cast<double>(sample_count) * 1e6;
          }};
}

/// The same for batches of 4,096 in shuffled order, of at most 2^22 samples.
Subject serve_file(const std::filesystem::path& path, std::int64_t sample_count) {
  const auto store = octavo::Store::load(octavo::Dataset::open(path).split("train"), octavo::Device::cpu(),
                                         {.verify_checksums = false});
  require(store.device_bytes() - sample_count * 20 < 4096, "the memory of a sample");  // 16 for values, 4 for the label
  return {"batches of 4,096 out of " + power_of_ten(sample_count) + ", a million samples", 0, [=] {
            octavo::Loader loader(store, {.batch_size = 4096, .shuffle = true});
            std::int64_t served = 0;
            const double seconds = seconds_of([&] {
              for (const octavo::Batch& batch : loader.epoch(0)) {
                served += batch.size();
                if (served >= (std::int64_t{1} << 22)) break;
              }
            });
            return seconds / static_cast<double>(served) * 1e6;
          }};
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 9));
  Results results("scale", argc, argv);
  std::vector<Subject> orders;
  for (const std::int64_t count : {std::int64_t{10000}, std::int64_t{1000000}, std::int64_t{100000000},
                                   std::int64_t{10000000000}, std::int64_t{1000000000000}}) {
    orders.push_back(order(count));
  }
  const auto measured = measure(orders, rounds);
  results.section("evaluating the order, time of the smallest / time");
  for (const Measurement& measurement : measured) results.add_time(measurement, measured[0].median_seconds);

  const ScratchFolder folder;
  std::vector<Subject> opened, loaded, served;
  for (const std::int64_t count : {10000, 1000000, 100000000}) {
    const std::filesystem::path path = folder / (std::to_string(count) + ".h5");
    write_random_file(path, {1, 4, 4}, count);
    opened.push_back(open_file(path, count));
    loaded.push_back(load_file(path, count));
    served.push_back(serve_file(path, count));
  }
  const auto compare = [&](const char* section, const std::vector<Subject>& subjects, int times) {
    const auto compared = measure(subjects, times);
    results.section(section);
    for (const Measurement& measurement : compared) results.add_time(measurement, compared[0].median_seconds);
  };
  compare("opening a file, time of the smallest / time", opened, rounds);
  compare("loading, per sample, time of the smallest / time", loaded, std::min(rounds, 3));
  compare("batches, per sample, time of the smallest / time", served, rounds);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_scale: %s\n", error.what());
  return 1;
}
