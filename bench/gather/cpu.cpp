// The gather on the CPU against the best copy: rows in the order of an epoch, data and output far larger than the
// cache.
#include <cstring>
#include <vector>

#include "cpu/gather.hpp"
#include "cpu/streaming_copy.hpp"
#include "support/big_memory.hpp"
#include "support/results.hpp"

#include "support/team.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;

struct Shape {
  const char* name;
  std::int64_t channels, values_per_channel;
  std::int64_t values() const { return channels * values_per_channel; }
};

constexpr Shape kShapes[] = {{"1x28x28", 1, 784},
                             {"3x32x32", 3, 1024},
                             {"3x64x64", 3, 4096},
                             {"3x224x224", 3, 50176},
                             {"3x37x53 (odd)", 3, 1961}};

struct Variant {
  const char* name;
  ValueType value_type;
  Layout layout;
  bool uniform_map;
};

constexpr Variant kVariants[] = {{"float32", ValueType::float32, Layout::nchw, true},
                                 {"float32, map a channel", ValueType::float32, Layout::nchw, false},
                                 {"float16", ValueType::float16, Layout::nchw, true},
                                 {"bfloat16", ValueType::bfloat16, Layout::nchw, true},
                                 {"float32 NHWC", ValueType::float32, Layout::nhwc, false}};

/// Memory and arguments of the measured gathers.
class Bench {
 public:
  explicit Bench(std::size_t bytes) : bytes_(bytes), data_(make_big_memory(bytes)), out_(make_big_memory(bytes)) {}

  GatherArgs args(const Shape& shape, const Variant& variant) {
    const std::int64_t value_bytes = variant.value_type == ValueType::float32 ? 4 : 2;
    GatherArgs args{};
    args.codes = reinterpret_cast<const std::int8_t*>(data_.get());
    args.row_stride_bytes = shape.values();
    args.channel_count = shape.channels;
    args.values_per_channel = shape.values_per_channel;
    const std::int64_t N = static_cast<std::int64_t>(bytes_) / shape.values();
    args.selection = {nullptr, make_order_key(N, 1, ++epoch_, true), 0};
    args.batch_count = std::min(N, static_cast<std::int64_t>(bytes_) / (value_bytes * shape.values()));
    args.maps = maps_;
    args.uniform_map = variant.uniform_map;
    args.layout = variant.layout;
    args.value_type = variant.value_type;
    args.values = out_.get();
    args.error_slot = &error_;
    return args;
  }

  /// The fast path gives the bits of the portable one.
  void check(const Shape& shape, const Variant& variant) {
    GatherArgs args = this->args(shape, variant);
    args.batch_count = std::min<std::int64_t>(args.batch_count, 50);
    const std::size_t bytes = static_cast<std::size_t>(args.batch_count * shape.values()) * 4;
    cpu::gather_portable(args, 0, args.batch_count);
    const std::vector<std::byte> expected(out_.get(),
                                          out_.get() + bytes / (variant.value_type == ValueType::float32 ? 1 : 2));
    std::memset(out_.get(), 0xEE, bytes);
    cpu::gather(args, 0, args.batch_count, cpu::Stores::streaming);
    require(std::memcmp(out_.get(), expected.data(), expected.size()) == 0,
            std::string(shape.name) + " " + variant.name);
  }

  Subject gather(const Shape& shape, const Variant& variant, int thread_count) {
    const GatherArgs first = args(shape, variant);
    const double value_bytes = variant.value_type == ValueType::float32 ? 4 : 2;
    return {std::string(shape.name) + " " + variant.name,
            static_cast<double>(first.batch_count * shape.values()) * (1 + value_bytes), [=, this, &shape, &variant] {
              const GatherArgs args = this->args(shape, variant);  // another epoch each time
              return run_team(thread_count, [&](int thread) {
                cpu::gather(args, args.batch_count * thread / thread_count,
                            args.batch_count * (thread + 1) / thread_count, cpu::Stores::streaming);
              });
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
  std::size_t bytes_;
  BigMemory data_, out_;
  Affine maps_[3] = {{1.0f / 58.4f, 0.12f}, {1.0f / 57.1f, 0.11f}, {1.0f / 57.4f, 0.1f}};
  std::uint64_t epoch_ = 0;
  std::uint32_t error_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
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
  for (const int threads : {1, static_cast<int>(std::thread::hardware_concurrency())}) {
    std::vector<Subject> subjects = {bench.copy(false, threads), bench.copy(true, threads)};
    for (const Shape& shape : kShapes) {
      for (const Variant& variant : kVariants) subjects.push_back(bench.gather(shape, variant, threads));
    }
    const std::vector<Measurement> measured = measure(subjects, rounds);
    const double best_copy = std::max(measured[0].bytes_per_second(), measured[1].bytes_per_second());
    results.section(std::to_string(threads) + " thread" + (threads == 1 ? "" : "s") + ", of the best copy");
    for (const Measurement& measurement : measured) results.add(measurement, best_copy);
    if (threads == 1 && std::thread::hardware_concurrency() == 1) break;
  }
}
