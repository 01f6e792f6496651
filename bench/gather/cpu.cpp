// The gather on the CPU, compared with the fastest copy: rows in the order of an epoch, with data and output far larger
// than the cache; then small batches that stay in the cache.
#include <atomic>
#include <cstring>
#include <numeric>
#include <vector>

#include "gather/shapes.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cpu/permute.hpp"
#include "kernels/cpu/streaming_copy.hpp"
#include "support/big_memory.hpp"
#include "support/results.hpp"
#include "support/team.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;

/// Memory and arguments of the measured gathers.
class Bench {
 public:
  explicit Bench(std::size_t bytes) : bytes_(bytes), data_(make_big_memory(bytes)), out_(make_big_memory(bytes)) {}

  GatherArgs args(const Shape& shape, const Variant& variant) {
    const std::int64_t N = static_cast<std::int64_t>(bytes_) / shape.values();
    GatherArgs args{};
    args.packed.codes = reinterpret_cast<const std::int8_t*>(data_.get());
    args.packed.resident_count = N;
    args.packed.row_stride_bytes = shape.values();
    args.set_shapes({shape.channels, 1, shape.values_per_channel}, variant.value_type, variant.layout);
    args.selection = rows_in_order(make_order_key(N, 1, ++epoch_, true), 0, 0);
    args.batch_count = std::min(N, static_cast<std::int64_t>(bytes_) / (variant.value_bytes() * shape.values()));
    args.maps = maps_;
    args.uniform_map = variant.uniform_map;
    args.pixel_shifts = variant.pixel_shifts ? mean_image_.data() : nullptr;
    args.values = out_.get();
    return args;
  }

  /// Checks that the fast path gives the bits of the portable one.
  void check(const Shape& shape, const Variant& variant) {
    GatherArgs args = this->args(shape, variant);
    args.batch_count = std::min<std::int64_t>(args.batch_count, 50);
    const auto bytes = static_cast<std::size_t>(args.batch_count * shape.values() * variant.value_bytes());
    cpu::gather_portable(args, 0, args.batch_count);
    const std::vector<std::byte> expected(out_.get(), out_.get() + bytes);
    for (const cpu::Stores stores : {cpu::Stores::streaming, cpu::Stores::cached}) {
      std::memset(out_.get(), 0xEE, bytes);
      // In two pieces, as on two threads.
      cpu::gather(args, 0, args.batch_count / 3, stores);
      cpu::gather(args, args.batch_count / 3, args.batch_count, stores);
      require(std::memcmp(out_.get(), expected.data(), expected.size()) == 0,
              std::string(shape.name) + " " + variant.name);
    }
  }

  Subject gather(const Shape& shape, const Variant& variant, int thread_count) {
    const std::int64_t values = args(shape, variant).batch_count * shape.values();
    return {std::string(shape.name) + " " + variant.name, static_cast<double>(values * (1 + variant.value_bytes())),
            [=, this, &shape, &variant] {
              const GatherArgs args = this->args(shape, variant);  // a different epoch each time
              return run_team(thread_count, [&](int thread) {
                cpu::gather(args, args.batch_count * thread / thread_count,
                            args.batch_count * (thread + 1) / thread_count, cpu::Stores::streaming);
              });
            }};
  }

  /// Only reads the rows, like a gather of this shape, and writes nothing: shows the limit of the memory for such rows.
  Subject read_rows(const Shape& shape, int thread_count) {
    const std::int64_t rows = args(shape, kVariants[0]).batch_count;
    return {std::string(shape.name) + " rows, only read", static_cast<double>(rows * shape.values()),
            [=, this, &shape] {
              const GatherArgs args = this->args(shape, kVariants[0]);
              std::atomic<std::uint64_t> sum = 0;
              const double seconds = run_team(thread_count, [&](int thread) {
                sum += sum_of_rows(args, rows * thread / thread_count, rows * (thread + 1) / thread_count);
              });
              if (sum == 1) std::puts("");  // keeps the compiler from removing the reads
              return seconds;
            }};
  }

  Subject fill(int thread_count) {
    return {"streaming fill", static_cast<double>(bytes_), [=, this] {
              return run_team(thread_count, [&](int thread) {
                const std::size_t part = bytes_ / 4096 / static_cast<std::size_t>(thread_count) * 4096;
                cpu::streaming_fill(out_.get() + part * static_cast<std::size_t>(thread), part);
              });
            }};
  }

  /// A batch of 256 out of 512 samples, repeatedly written to the same place and read by its consumer each time;
  /// everything fits into the cache.
  Subject hot_batch(cpu::Stores stores) {
    constexpr std::int64_t kBatch = 256;
    constexpr int kRepeats = 100;
    const Shape& shape = kShapes[1];
    return {std::string("256 x 3x32x32 float32, ") + (stores == cpu::Stores::cached ? "cached" : "streaming") +
                " stores, then read",
            static_cast<double>(kBatch * shape.values() * 9), [=, this] {
              GatherArgs args = this->args(shape, kVariants[0]);
              args.batch_count = kBatch;
              std::uint32_t sum = 0;
              const double seconds = seconds_of([&] {
                for (int i = 0; i < kRepeats; ++i) {
                  args.selection = rows_in_order(make_order_key(2 * kBatch, 1, ++epoch_, true), 0, 0);
                  cpu::gather(args, 0, kBatch, stores);
                  sum += sum_of_words(out_.get(), static_cast<std::size_t>(kBatch * shape.values()) * 4);
                }
              });
              if (sum == 1) std::puts("");  // keeps the compiler from removing the reads
              return seconds / kRepeats;
            }};
  }

  Subject copy(bool streaming, int thread_count) {
    return {streaming ? "streaming copy" : "memcpy", 2.0 * static_cast<double>(bytes_), [=, this] {
              return run_team(thread_count, [&](int thread) {
                const std::size_t begin =
                    bytes_ / 4096 * static_cast<std::size_t>(thread) / static_cast<std::size_t>(thread_count) * 4096;
                const std::size_t end = bytes_ / 4096 * static_cast<std::size_t>(thread + 1) /
                                        static_cast<std::size_t>(thread_count) * 4096;
                if (streaming)
                  cpu::streaming_copy(out_.get() + begin, data_.get() + begin, end - begin);
                else
                  std::memcpy(out_.get() + begin, data_.get() + begin, end - begin);
              });
            }};
  }

 private:
  static std::uint32_t sum_of_words(const std::byte* bytes, std::size_t count) {
    std::uint32_t sums[64] = {};
    for (std::size_t at = 0; at + sizeof sums <= count; at += sizeof sums) {
      std::uint32_t words[64];
      std::memcpy(words, bytes + at, sizeof words);
      for (int k = 0; k < 64; ++k) sums[k] += words[k];
    }
    return std::accumulate(std::begin(sums), std::end(sums), 0u);
  }
  static std::uint64_t sum_of_rows(const GatherArgs& args, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kAhead = 8, kBlock = 1024;
    const std::int64_t values = args.sample.channels * args.pixels;
    std::vector<std::int64_t> rows(kBlock + kAhead);
    std::uint64_t sums[8] = {};
    for (std::int64_t start = first; start < last; start += kBlock) {
      const std::int64_t known = std::min(last - start, kBlock + kAhead);
      cpu::permute_range(args.selection.order, start, known, rows.data());
      for (std::int64_t i = 0; i < std::min(last - start, kBlock); ++i) {
        const std::int8_t* codes = args.packed.codes + rows[static_cast<std::size_t>(i)] * values;
        const std::int8_t* next =
            args.packed.codes + rows[static_cast<std::size_t>(std::min(i + kAhead, known - 1))] * values;
        for (std::int64_t at = 0; at + 64 <= values; at += 64) {
          __builtin_prefetch(next + at, 0, 2);
          std::uint64_t words[8];
          std::memcpy(words, codes + at, sizeof words);
          for (int k = 0; k < 8; ++k) sums[k] += words[k];
        }
      }
    }
    return sums[0] ^ sums[1] ^ sums[2] ^ sums[3] ^ sums[4] ^ sums[5] ^ sums[6] ^ sums[7];
  }

  std::size_t bytes_;
  BigMemory data_, out_;
  Affine maps_[3] = {{1.0f / 58.4f, 0.12f}, {1.0f / 57.1f, 0.11f}, {1.0f / 57.4f, 0.1f}};
  std::vector<float> mean_image_ = std::vector<float>(3 * 50176, 0.125f);
  std::uint64_t epoch_ = 0;
};

/// memcpy, streaming copy and streaming fill.
constexpr std::size_t kReferences = 3;

/// No gather is faster than writing its output, nor than reading its rows.
double floor_seconds(const Measurement& gather, const Variant& variant, const Measurement& fill,
                     const Measurement& reading) {
  const double code_bytes = gather.moved_bytes / static_cast<double>(1 + variant.value_bytes());
  const double value_bytes = gather.moved_bytes - code_bytes;
  return std::max(value_bytes / fill.bytes_per_second(), code_bytes / reading.bytes_per_second());
}

}  // namespace

int main(int argc, char** argv) try {
  const long mebibytes = option(argc, argv, "--mib", 1024);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 7));
  Results results("gather_cpu", argc, argv);
  Bench bench(static_cast<std::size_t>(mebibytes) << 20);
  results.note("target", cpu::gather_target_name());
  std::printf("gather with %s, %ld MiB of samples, %ld MiB of output, median of %d\n", cpu::gather_target_name(),
              mebibytes, mebibytes, rounds);
  for (const Shape& shape : kShapes) {
    for (const Variant& variant : kVariants) bench.check(shape, variant);
  }
  const int all = thread_count_of_process();
  for (const int threads : all == 1 ? std::vector{1} : std::vector{1, all}) {
    std::vector<Subject> subjects = {bench.copy(false, threads), bench.copy(true, threads), bench.fill(threads)};
    for (const Shape& shape : kShapes) {
      subjects.push_back(bench.read_rows(shape, threads));
      for (const Variant& variant : kVariants) subjects.push_back(bench.gather(shape, variant, threads));
    }
    const std::vector<Measurement> measured = measure(subjects, rounds);
    const std::string team = std::to_string(threads) + " thread" + (threads == 1 ? "" : "s");
    const double best_copy = std::max(measured[0].bytes_per_second(), measured[1].bytes_per_second());
    results.section(team + ", of the best copy");
    for (std::size_t i = 0; i < kReferences; ++i) results.add(measured[i], best_copy);
    results.section(team + ", gathers of their floor: the larger of writing the output and only reading the rows");
    std::size_t next = kReferences;
    while (next < measured.size()) {
      const Measurement& reading = measured[next++];
      results.add(reading, best_copy);
      for (const Variant& variant : kVariants) {
        const Measurement& gather = measured[next++];
        results.add(gather, gather.moved_bytes / floor_seconds(gather, variant, measured[2], reading));
      }
    }
  }
  const auto hot = measure({bench.hot_batch(cpu::Stores::streaming), bench.hot_batch(cpu::Stores::cached)}, rounds);
  results.section("a batch that stays in the cache, 1 thread, of streaming stores");
  for (const Measurement& measurement : hot) results.add(measurement, hot[0].bytes_per_second());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_gather_cpu: %s\n", error.what());
  return 1;
}
