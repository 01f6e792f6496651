// The gather on a GPU, compared with copies on the same device: random rows of a region far larger than the caches and
// the range of the TLB, small batches one by one, and small batches in a captured graph.
//
// bench_gather_cuda [--rounds N] [--mib N] [--json FILE]: --mib limits the region; the default is 80 GiB, or as much as
// fits.
#include <cuda_runtime_api.h>

#include <numeric>
#include <optional>

#include "gather/device_region.hpp"
#include "gather/shapes.hpp"
#include "kernels/cpu/gather.hpp"
#include "kernels/cuda/gather.hpp"
#include "support/gpu_clocks.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
using namespace octavo::kernels;
using octavo::DType;
using octavo::Layout;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr std::int64_t kLargestRegion = 80 * kGiB;
constexpr std::int64_t kNearRegion = 2 * kGiB;  // the TLB of an H100 or H200 still covers this
constexpr std::int64_t kGraphBatches = 117;     // an epoch of 60,000 samples in batches of 512

constexpr std::int64_t kDeviceBatches[] = {256, 512, 4096, 65536};
constexpr Variant kHalfNhwc[] = {
    {.name = "float16 NHWC", .value_type = DType::float16, .layout = Layout::nhwc, .uniform_map = false},
    {.name = "bfloat16 NHWC", .value_type = DType::bfloat16, .layout = Layout::nhwc, .uniform_map = false}};

/// The library's launcher, and the device properties that it needs.
class Launcher {
 public:
  explicit Launcher(int device) {
    check_cuda(cudaDeviceGetAttribute(&traits_.multiprocessor_count, cudaDevAttrMultiProcessorCount, device),
               "ask for multiprocessors");
    int l2_bytes = 0;
    check_cuda(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device), "ask for the L2 cache");
    traits_.l2_bytes = l2_bytes;
  }
  void operator()(const GatherArgs& args, cudaStream_t stream) const {
    check_cuda(cuda::launch_gather(args, traits_, stream), "gather");
  }

 private:
  cuda::DeviceTraits traits_{};
};

std::string pci_bus_id(int device) {
  char text[32] = "";
  check_cuda(cudaDeviceGetPCIBusId(text, sizeof text, device), "ask for the bus id");
  return text;
}

/// The amount of memory for the measurements.
struct Sizes {
  std::int64_t region, out;
};
Sizes choose_sizes(std::int64_t most_region) {
  std::size_t free_bytes = 0, total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free memory");
  const auto free = static_cast<std::int64_t>(free_bytes);
  const std::int64_t out = std::min({4 * kGiB, free / 4, std::max<std::int64_t>(most_region, kGiB / 16)});
  // The rest is for contexts and graphs.
  return {std::min(most_region, free - out - free / 16), out};
}

/// Device memory and arguments of the measured gathers.
class Bench {
 public:
  explicit Bench(std::int64_t most_region)
      : sizes_(choose_sizes(most_region)),
        region_(static_cast<std::size_t>(sizes_.region)),
        out_(device_memory(static_cast<std::size_t>(sizes_.out))),
        small_(device_memory(kSmallBytes)),
        rows_(device_memory(kCheckedRows * sizeof(std::int64_t))),
        launcher_(current_device()),
        clocks_(pci_bus_id(current_device()).c_str()) {
    host_small_.resize(kSmallBytes / sizeof(float));
    for (std::size_t i = 0; i < host_small_.size(); ++i) host_small_[i] = 0.01f + static_cast<float>(i % 97) / 97;
    check_cuda(cudaMemcpy(small_.get(), host_small_.data(), kSmallBytes, cudaMemcpyHostToDevice), "copy maps");
    check_cuda(cudaEventCreate(&start_), "create an event");
    check_cuda(cudaEventCreate(&end_), "create an event");
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    use_region(sizes_.region);
  }
  ~Bench() {
    cudaStreamDestroy(stream_);
    cudaEventDestroy(end_);
    cudaEventDestroy(start_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::int64_t region_bytes() const { return sizes_.region; }
  std::int64_t out_bytes() const { return sizes_.out; }

  /// Limits the following gathers to rows in the first `bytes` bytes of the region.
  void use_region(std::int64_t bytes) {
    used_bytes_ = bytes;
    position_ = 0;
  }

  bool fits(const Shape& shape, const Variant& variant, std::int64_t batch) const {
    return batch * shape.values() * variant.value_bytes() <= sizes_.out && batch <= used_bytes_ / shape.values();
  }

  /// Checks that CUDA gives the bits of the CPU, for rows in epoch order and for rows near each power of two of bytes.
  void check_bits(const Shape& shape, const Variant& variant) {
    const std::int64_t batch = std::min<std::int64_t>(33, used_bytes_ / shape.values());
    const GatherArgs drawn = args(shape, variant, batch);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(batch));
    for (std::int64_t b = 0; b < batch; ++b) rows[static_cast<std::size_t>(b)] = row_at(drawn.selection, b);
    check_rows(shape, variant, drawn, rows);

    rows = {0, drawn.packed.resident_count - 1};
    for (std::int64_t offset = std::int64_t{1} << 30; offset < used_bytes_; offset *= 2) {
      for (const std::int64_t row : {offset / shape.values() - 1, offset / shape.values() + 1}) {
        if (row < drawn.packed.resident_count) rows.push_back(row);
      }
    }
    GatherArgs given = args(shape, variant, static_cast<std::int64_t>(rows.size()));
    check_cuda(cudaMemcpy(rows_.get(), rows.data(), rows.size() * sizeof rows[0], cudaMemcpyHostToDevice), "copy rows");
    given.selection.rows = static_cast<const std::int64_t*>(rows_.get());
    check_rows(shape, variant, given, rows);
  }

  Subject gather(const Shape& shape, const Variant& variant, std::int64_t batch) {
    const std::int64_t moved = moved_bytes(shape, variant, batch);
    const int repeats = static_cast<int>(std::clamp<std::int64_t>(std::min(kGiB, used_bytes_) / moved, 1, 200));
    return {std::to_string(shape.values()) + " B " + shape.name + " B=" + std::to_string(batch),
            static_cast<double>(moved),
            [=, this, &shape, &variant] { return time(repeats, [&] { launch(args(shape, variant, batch)); }); }};
  }
  Subject copy() {
    const auto bytes = static_cast<std::size_t>(std::min(sizes_.out, used_bytes_));
    return {"copy (cudaMemcpyAsync)", 2.0 * static_cast<double>(bytes), [=, this] {
              return time(1, [&] {
                check_cuda(cudaMemcpyAsync(out_.get(), region_.codes(), bytes, cudaMemcpyDeviceToDevice, stream_),
                           "copy");
              });
            }};
  }
  Subject fill() {
    const auto bytes = static_cast<std::size_t>(sizes_.out);
    return {"fill (cudaMemsetAsync)", static_cast<double>(bytes),
            [=, this] { return time(1, [&] { check_cuda(cudaMemsetAsync(out_.get(), 1, bytes, stream_), "fill"); }); }};
  }

  /// Consecutive batches of an epoch, captured once; one run replays all of them and returns the seconds per batch.
  Subject graph(const Shape& shape, const Variant& variant, std::int64_t batch, std::int64_t batch_count) {
    check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin a capture");
    std::optional<GatherArgs> last;
    for (std::int64_t i = 0; i < batch_count; ++i) {
      last = args(shape, variant, batch);
      launch(*last);
    }
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replayed = nullptr;
    check_cuda(cudaStreamEndCapture(stream_, &graph), "end a capture");
    check_cuda(cudaGraphInstantiate(&replayed, graph, 0), "instantiate a graph");
    check_cuda(cudaGraphDestroy(graph), "destroy a graph");
    const std::shared_ptr<CUgraphExec_st> kept(replayed, [](cudaGraphExec_t old) { cudaGraphExecDestroy(old); });

    const std::vector<std::byte> expected = expected_values(shape, variant, *last);
    check_cuda(cudaMemset(last->values, 0xEE, expected.size()), "poison");
    check_cuda(cudaDeviceSynchronize(), "poison");
    check_cuda(cudaGraphLaunch(replayed, stream_), "replay");
    require(values_of(*last, expected.size()) == expected, "a captured graph, " + std::string(variant.name));
    return {std::string(variant.name) + ", " + std::to_string(batch) + " x " + std::to_string(shape.values()) +
                " B, replayed",
            static_cast<double>(moved_bytes(shape, variant, batch)), [this, kept, batch_count] {
              return time(1, [&] { check_cuda(cudaGraphLaunch(kept.get(), stream_), "replay"); }) /
                     static_cast<double>(batch_count);
            }};
  }

  /// The clocks while `subject` runs, as additional figures of its row.
  std::vector<std::pair<std::string, Figure>> clocks_during(const Subject& subject) {
    if (!clocks_.read()) return {};
    is_sampling_ = true;
    sampled_.reset();
    subject.run();
    is_sampling_ = false;
    if (!sampled_) return {};
    return {{"sm_mhz", sampled_->sm}, {"memory_mhz", sampled_->memory}};
  }

 private:
  static constexpr std::size_t kSmallBytes = std::size_t{1} << 20;  // mean images and maps
  static constexpr std::size_t kCheckedRows = 128;

  static int current_device() {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "ask for the device");
    return device;
  }
  static std::int64_t moved_bytes(const Shape& shape, const Variant& variant, std::int64_t batch) {
    return batch * shape.values() * (1 + variant.value_bytes());
  }

  /// Seconds of one of `repeats` runs of `work` on the stream.
  template <typename Work>
  double time(int repeats, Work&& work) {
    check_cuda(cudaEventRecord(start_, stream_), "record");
    for (int i = 0; i < repeats; ++i) work();
    check_cuda(cudaEventRecord(end_, stream_), "record");
    if (is_sampling_) sampled_ = clocks_.read();  // the work is still running, or has just ended
    check_cuda(cudaEventSynchronize(end_), "wait");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, end_), "time");
    return milliseconds * 1e-3 / repeats;
  }

  void launch(const GatherArgs& args) { launcher_(args, stream_); }

  /// Arguments for a batch. Each call uses a different part of the epoch and of the output, so that neither stays in
  /// the cache.
  GatherArgs args(const Shape& shape, const Variant& variant, std::int64_t batch) {
    const std::int64_t N = used_bytes_ / shape.values();
    const std::int64_t out_bytes = (batch * shape.values() * variant.value_bytes() + 255) / 256 * 256;
    if (position_ + batch > N) {
      position_ = 0;
      ++epoch_;
    }
    if (out_offset_ + out_bytes > sizes_.out) out_offset_ = 0;
    GatherArgs args{};
    args.packed.codes = region_.codes();
    args.packed.resident_count = N;
    args.packed.row_stride_bytes = shape.values();
    args.set_shapes({shape.channels, 1, shape.values_per_channel}, variant.value_type, variant.layout);
    args.selection = rows_in_order(make_order_key(N, 1, epoch_, true), position_, epoch_);
    args.batch_count = batch;
    args.maps = static_cast<const Affine*>(small_.get());
    args.uniform_map = variant.uniform_map;
    args.pixel_shifts = variant.pixel_shifts ? static_cast<const float*>(small_.get()) : nullptr;
    args.values = static_cast<std::byte*>(out_.get()) + out_offset_;
    position_ += batch;
    out_offset_ += out_bytes;
    return args;
  }

  /// The CPU's values of the given rows.
  std::vector<std::byte> expected_values(const Shape& shape, const Variant& variant, GatherArgs args,
                                         const std::vector<std::int64_t>& rows) const {
    const std::vector<std::int8_t> codes = region_.host_rows(rows, shape.values());
    std::vector<std::int64_t> numbers(rows.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<std::byte> values(rows.size() * static_cast<std::size_t>(shape.values() * variant.value_bytes()));
    args.packed.codes = codes.data();
    args.packed.resident_count = args.batch_count;
    args.selection = given_rows(numbers.data(), args.batch_count);
    args.maps = reinterpret_cast<const Affine*>(host_small_.data());
    args.pixel_shifts = variant.pixel_shifts ? host_small_.data() : nullptr;
    args.values = values.data();
    cpu::gather_portable(args, 0, args.batch_count);
    return values;
  }
  std::vector<std::byte> expected_values(const Shape& shape, const Variant& variant, const GatherArgs& args) const {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(args.batch_count));
    for (std::size_t b = 0; b < rows.size(); ++b) rows[b] = row_at(args.selection, static_cast<std::int64_t>(b));
    return expected_values(shape, variant, args, rows);
  }
  std::vector<std::byte> values_of(const GatherArgs& args, std::size_t bytes) const {
    std::vector<std::byte> values(bytes);
    check_cuda(cudaMemcpyAsync(values.data(), args.values, bytes, cudaMemcpyDeviceToHost, stream_), "copy values");
    check_cuda(cudaStreamSynchronize(stream_), "copy values");
    return values;
  }

  void check_rows(const Shape& shape, const Variant& variant, const GatherArgs& args,
                  const std::vector<std::int64_t>& rows) {
    const std::vector<std::byte> expected = expected_values(shape, variant, args, rows);
    check_cuda(cudaMemset(args.values, 0xEE, expected.size()), "poison");
    check_cuda(cudaDeviceSynchronize(), "poison");
    launch(args);
    require(values_of(args, expected.size()) == expected, std::string(shape.name) + " " + variant.name);
  }

  Sizes sizes_;
  DeviceRegion region_;
  DeviceMemory out_, small_, rows_;
  Launcher launcher_;
  GpuClocks clocks_;
  std::vector<float> host_small_;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::int64_t used_bytes_ = 0, position_ = 0, out_offset_ = 0;
  std::uint64_t epoch_ = 0;
  bool is_sampling_ = false;
  std::optional<ClocksMhz> sampled_;
};

std::string in_gib(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / static_cast<double>(kGiB));
  return text;
}

/// Times the subjects in turn, and adds a row for each. The first one is the copy, the reference for all others.
void report(Results& results, Bench& bench, const std::vector<Subject>& subjects, int rounds) {
  const std::vector<Measurement> measured = measure(subjects, rounds);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    results.add(measured[i], measured[0].bytes_per_second(), bench.clocks_during(subjects[i]));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 9));
  Results results("gather_cuda", argc, argv);
  Bench bench(option(argc, argv, "--mib", kLargestRegion >> 20) << 20);
  results.note("region_bytes", bench.region_bytes());
  results.note("output_bytes", bench.out_bytes());
  results.note("reference", "copy: cudaMemcpyAsync on the device, bytes read and written, in the same section");

  std::vector<Variant> variants(std::begin(kVariants), std::end(kVariants));
  variants.insert(variants.end(), std::begin(kHalfNhwc), std::end(kHalfNhwc));
  for (const Shape& shape : kShapes) {
    for (const Variant& variant : variants) bench.check_bits(shape, variant);
  }
  results.note("checked", "the bits of the CPU, for every shape and variant, before anything was timed");

  const Shape& small = kShapes[0];
  const std::int64_t graph_batches = std::min(kGraphBatches, bench.region_bytes() / small.values() / 512);
  results.section("A captured graph of " + std::to_string(graph_batches) + " batches: the time of one");
  std::vector<Subject> subjects = {bench.copy()};
  for (const Variant& variant : {variants[0], variants[2], variants[3]}) {
    if (bench.fits(small, variant, 512)) subjects.push_back(bench.graph(small, variant, 512, graph_batches));
  }
  report(results, bench, subjects, rounds);

  for (const std::int64_t region : {bench.region_bytes(), kNearRegion}) {
    if (region > bench.region_bytes() || (region == kNearRegion && region == bench.region_bytes())) continue;
    bench.use_region(region);
    for (const Variant& variant : variants) {
      results.section(std::string(variant.name) + ", random rows of " + in_gib(region));
      subjects = {bench.copy(), bench.fill()};
      for (const Shape& shape : kShapes) {
        for (const std::int64_t batch : kDeviceBatches) {
          if (bench.fits(shape, variant, batch)) subjects.push_back(bench.gather(shape, variant, batch));
        }
      }
      report(results, bench, subjects, rounds);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_gather_cuda: %s\n", error.what());
  return 1;
}
