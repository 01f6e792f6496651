// The gather on a GPU against copy and fill of the same device: data and output far larger than the L2 cache.
//
// The bound: read / copy rate + written / min(copy rate, fill rate); writes are most of the traffic, so a fill can be
// the truer yardstick than a copy.
#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <vector>

#include "cpu/gather.hpp"
#include "cuda/gather.hpp"
#include "gather/shapes.hpp"
#include "support/big_memory.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;

void check(cudaError_t status, const char* doing) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(status));
}

struct FreeDevice {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

DeviceMemory device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "take device memory");
  return DeviceMemory(memory);
}

/// Device memory and arguments of the measured gathers.
class Bench {
 public:
  Bench() : codes_(device_memory(kBytes)), out_(device_memory(kBytes)), small_(device_memory(kSmallBytes)) {
    int device = 0;
    check(cudaGetDevice(&device), "ask for the device");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "ask for multiprocessors");
    host_codes_ = make_big_memory(kBytes);
    check(cudaMemcpy(codes_.get(), host_codes_.get(), kBytes, cudaMemcpyHostToDevice), "copy codes");
    host_small_.resize(kSmallBytes / 4);
    for (std::size_t i = 0; i < host_small_.size(); ++i) host_small_[i] = 0.01f + static_cast<float>(i % 97) / 97;
    check(cudaMemcpy(small_.get(), host_small_.data(), kSmallBytes, cudaMemcpyHostToDevice), "copy maps");
    check(cudaEventCreate(&start_), "create an event");
    check(cudaEventCreate(&end_), "create an event");
  }

  /// Seconds of one of `repeats` runs of `work` on the default stream.
  template <typename Work>
  double time(int repeats, Work&& work) {
    check(cudaEventRecord(start_), "record");
    for (int i = 0; i < repeats; ++i) work();
    check(cudaEventRecord(end_), "record");
    check(cudaEventSynchronize(end_), "wait");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, end_), "time");
    return milliseconds * 1e-3 / repeats;
  }

  /// Arguments for a batch; each call another stretch of the epoch, and another part of the output, so that neither
  /// stays in the cache.
  GatherArgs args(const Shape& shape, const Variant& variant, std::int64_t batch) {
    const std::int64_t N = static_cast<std::int64_t>(kBytes) / shape.values();
    const std::int64_t out_bytes = (batch * shape.values() * variant.value_bytes() + 255) / 256 * 256;
    if (position_ + batch > N) {
      position_ = 0;
      ++epoch_;
    }
    if (out_offset_ + out_bytes > static_cast<std::int64_t>(kBytes)) out_offset_ = 0;
    GatherArgs args{};
    args.packed.codes = static_cast<const std::int8_t*>(codes_.get());
    args.packed.resident_count = N;
    args.packed.row_stride_bytes = shape.values();
    args.channel_count = shape.channels;
    args.values_per_channel = shape.values_per_channel;
    args.selection = {nullptr, make_order_key(N, 1, epoch_, true), position_};
    args.batch_count = batch;
    args.maps = static_cast<const Affine*>(small_.get());
    args.uniform_map = variant.uniform_map;
    args.pixel_shifts = variant.pixel_shifts ? static_cast<const float*>(small_.get()) : nullptr;
    args.layout = variant.layout;
    args.value_type = variant.value_type;
    args.values = static_cast<std::byte*>(out_.get()) + out_offset_;
    args.error_slot = static_cast<std::uint32_t*>(small_.get()) + kSmallBytes / 4 - 1;
    position_ += batch;
    out_offset_ += out_bytes;
    return args;
  }

  bool fits(const Shape& shape, const Variant& variant, std::int64_t batch) const {
    return batch * shape.values() * variant.value_bytes() <= static_cast<std::int64_t>(kBytes) &&
           batch <= static_cast<std::int64_t>(kBytes) / shape.values();
  }

  /// CUDA gives the bits of the CPU.
  void check_bits(const Shape& shape, const Variant& variant) {
    GatherArgs args = this->args(shape, variant, 33);
    const std::size_t bytes = static_cast<std::size_t>(33 * shape.values() * variant.value_bytes());
    std::vector<std::byte> expected(bytes), actual(bytes);
    check(cudaMemset(args.values, 0xEE, bytes), "poison");
    launch(args);
    check(cudaMemcpy(actual.data(), args.values, bytes, cudaMemcpyDeviceToHost), "copy back");
    std::uint32_t error = 0;
    args.packed.codes = reinterpret_cast<const std::int8_t*>(host_codes_.get());
    args.maps = reinterpret_cast<const Affine*>(host_small_.data());
    args.pixel_shifts = variant.pixel_shifts ? host_small_.data() : nullptr;
    args.values = expected.data();
    args.error_slot = &error;
    cpu::gather_portable(args, 0, args.batch_count);
    require(actual == expected, std::string(shape.name) + " " + variant.name);
  }

  void launch(const GatherArgs& args) { check(cuda::launch_gather(args, multiprocessors_, nullptr), "gather"); }

  Subject gather(const Shape& shape, const Variant& variant, std::int64_t batch) {
    const std::int64_t moved = batch * shape.values() * (1 + variant.value_bytes());
    const int repeats = static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 30) / moved, 1, 200));
    return {std::string(shape.name) + " " + variant.name + " B=" + std::to_string(batch), static_cast<double>(moved),
            [=, this, &shape, &variant] { return time(repeats, [&] { launch(args(shape, variant, batch)); }); }};
  }
  Subject copy() {
    return {"copy", 2.0 * kBytes, [this] {
              return time(1, [&] {
                check(cudaMemcpyAsync(out_.get(), codes_.get(), kBytes, cudaMemcpyDeviceToDevice), "copy");
              });
            }};
  }
  Subject fill() {
    return {"fill", 1.0 * kBytes,
            [this] { return time(1, [&] { check(cudaMemsetAsync(out_.get(), 1, kBytes), "fill"); }); }};
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{2} << 30;
  static constexpr std::size_t kSmallBytes = std::size_t{1} << 20;  // mean images and maps
  DeviceMemory codes_, out_, small_;
  BigMemory host_codes_;
  std::vector<float> host_small_;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
  int multiprocessors_ = 0;
  std::uint64_t epoch_ = 0;
  std::int64_t position_ = 0, out_offset_ = 0;
};

/// Bytes a second that the memory allows for this mix of reading and writing.
double bound(double value_bytes, double copy_rate, double fill_rate) {
  const double seconds_per_value = 1 / copy_rate + value_bytes / std::min(copy_rate, fill_rate);
  return (1 + value_bytes) / seconds_per_value;
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 9));
  Results results("gather_cuda", argc, argv);
  Bench bench;
  for (const Shape& shape : kShapes) {
    for (const Variant& variant : kVariants) bench.check_bits(shape, variant);
  }
  for (const Variant& variant : kVariants) {
    std::vector<Subject> subjects = {bench.copy(), bench.fill()};
    for (const Shape& shape : kShapes) {
      for (const std::int64_t batch : kBatches) {
        if (bench.fits(shape, variant, batch)) subjects.push_back(bench.gather(shape, variant, batch));
      }
    }
    const std::vector<Measurement> measured = measure(subjects, rounds);
    const double reference = bound(static_cast<double>(variant.value_bytes()), measured[0].bytes_per_second(),
                                   measured[1].bytes_per_second());
    results.section(std::string(variant.name) + ", of the bound");
    for (const Measurement& measurement : measured) results.add(measurement, reference);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_gather_cuda: %s\n", error.what());
  return 1;
}
