// What does not grow with the number of samples: evaluating the order, opening a file, taking a batch.
#include <algorithm>
#include <octavo/octavo.hpp>
#include <vector>

#include "cpu/permute.hpp"
#include "support/packed_file.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;

constexpr std::int64_t kPositions = 1 << 20;

/// The order is a bijection at both of its ends, and the vector code agrees with the definition.
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

Subject order(std::int64_t sample_count) {
  const OrderKey key = make_order_key(sample_count, 1, 1, true);
  check(key);
  return {"order of 10^" + std::to_string(std::to_string(sample_count).size() - 1) + " samples, a million positions", 0,
          [key] {
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
  write_random_file(path, {1, 4, 4}, sample_count);
  return {"open a file of 10^" + std::to_string(std::to_string(sample_count).size() - 1) + " samples", 0, [=] {
            return seconds_of(
                [&] { require(octavo::Dataset::open(path).split("train").sample_count() == sample_count, "opening"); });
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
  auto measured = measure(orders, rounds);
  results.section("evaluating the order, time of the smallest / time");
  for (const Measurement& measurement : measured) results.add_time(measurement, measured[0].median_seconds);

  const ScratchFolder folder;
  std::vector<Subject> files;
  for (const std::int64_t count : {10000, 1000000, 10000000}) {
    files.push_back(open_file(folder / (std::to_string(count) + ".h5"), count));
  }
  measured = measure(files, rounds);
  results.section("opening a file, time of the smallest / time");
  for (const Measurement& measurement : measured) results.add_time(measurement, measured[0].median_seconds);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_scale: %s\n", error.what());
  return 1;
}
