// What compression and augmentation add to a batch on a GPU: batches of the same samples from several files, which are
// packed in different ways, compared with plain batches of the first file and with a copy on the device.
//
// bench_batches_cuda FILE.h5 [FILE.h5...] [--batch-size B] [--mib M] [--rounds R] [--json FILE]
// ncu --profile-from-start off bench_batches_cuda FILE.h5 [FILE.h5...] --rounds 0
//
// Batches go round a buffer of 1 GiB, or --mib M, which should be far larger than the cache, in the order of an epoch.
// The samples should exceed the cache, too. Without --batch-size, a batch has about 64 MiB of float32 values; it has at
// most as many as the buffer. Without rounds, nothing is timed: each batch is made once, for a profiler.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <octavo/octavo.hpp>
#include <vector>

#include "gather/device_region.hpp"
#include "support/results.hpp"

namespace {

using namespace octavo::bench;
using octavo::BatchSpec;
using octavo::DType;
using octavo::Layout;
using octavo::SampleShape;
using octavo::StreamRef;
using octavo::TensorView;
namespace augment = octavo::augment;

constexpr std::int64_t kBatchBytes = std::int64_t{64} << 20;
constexpr std::int64_t kCheckedSamples = 96;

struct Recipe {
  std::string name;
  BatchSpec spec;
};

std::vector<Recipe> recipes(const SampleShape& shape) {
  const auto side = static_cast<std::int32_t>(std::min(shape.height, shape.width));
  const augment::Operations flip_crop = {augment::RandomCrop{}, augment::HorizontalFlip{}};
  const augment::Operations resized = {augment::RandomResizedCrop{.size = {side * 3 / 4, side * 3 / 4}},
                                       augment::HorizontalFlip{}};
  std::vector<Recipe> all;
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    if (layout == Layout::nhwc && shape.channels == 1) continue;
    for (const DType type : {DType::float32, DType::bfloat16}) {
      const auto add = [&](const char* change, const augment::Operations& operations) {
        BatchSpec spec{.augment = operations, .augment_seed = 3};
        spec.dtype = type;
        spec.layout = layout;
        all.push_back({std::string(to_string(type)) + (layout == Layout::nhwc ? " NHWC" : "") + change, spec});
      };
      add("", {});
      add(", crop, flip", flip_crop);
      add(", resized crop, flip", resized);
    }
  }
  return all;
}

/// The batches of one file, on the GPU and on the CPU.
class Source {
 public:
  explicit Source(const std::string& path)
      : name_(std::filesystem::path(path).filename().string()),
        split_(octavo::Dataset::open(path).training_split()),
        on_device_(octavo::Store::load(split_, octavo::Device::cuda(), {.residency = octavo::Residency::device})),
        on_host_(octavo::Store::load(split_, octavo::Device::cpu())) {}

  const std::string& name() const { return name_; }
  SampleShape shape() const { return split_.shape(); }
  std::int64_t sample_count() const { return split_.sample_count(); }
  const octavo::Store& on_device() const { return on_device_; }
  const octavo::Store& on_host() const { return on_host_; }

 private:
  std::string name_;
  octavo::Split split_;
  octavo::Store on_device_, on_host_;
};

octavo::BatchMaker make_batches(const octavo::Store& store, const Recipe& recipe, std::int64_t batch_size) {
  octavo::LoaderOptions options;
  options.batch_size = std::min(batch_size, store.sample_count());
  options.shuffle = true;
  options.seed = 1;
  options.drop_last = true;
  options.spec = recipe.spec;
  return octavo::BatchMaker(store, options);
}

/// Memory for batches, and the measurements.
class Bench {
 public:
  Bench(std::int64_t batch_size, std::int64_t mib)
      : batch_size_(batch_size),
        output_bytes_(static_cast<std::size_t>(mib) << 20),
        from_(device_memory(output_bytes_)),
        out_(device_memory(output_bytes_)) {
    check_cuda(cudaMemset(from_.get(), 1, output_bytes_), "fill");
    check_cuda(cudaEventCreate(&start_), "create an event");
    check_cuda(cudaEventCreate(&end_), "create an event");
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
  }
  ~Bench() {
    cudaStreamDestroy(stream_);
    cudaEventDestroy(end_);
    cudaEventDestroy(start_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Checks that the GPU gives the bits of the CPU.
  void check(const Source& source, const Recipe& recipe) {
    const octavo::BatchMaker device = make_batches(source.on_device(), recipe, kCheckedSamples);
    const octavo::BatchMaker host = make_batches(source.on_host(), recipe, kCheckedSamples);
    TensorView images = view(source, recipe, device.options().batch_size, 0);
    std::vector<std::byte> expected(static_cast<std::size_t>(images.byte_count())), actual(expected.size());
    for (const std::int64_t step : {std::int64_t{0}, device.batches_per_epoch() - 1}) {
      TensorView host_images = images;
      host_images.device = octavo::Device::cpu();
      host_images.data = expected.data();
      host.make(1, step, host_images);
      check_cuda(cudaMemset(images.data, 0xEE, actual.size()), "poison");
      check_cuda(cudaDeviceSynchronize(), "poison");
      device.make(1, step, images, {}, StreamRef(stream_));
      check_cuda(cudaStreamSynchronize(stream_), "make a batch");
      check_cuda(cudaMemcpy(actual.data(), images.data, actual.size(), cudaMemcpyDeviceToHost), "copy values");
      require(actual == expected, source.name() + ", " + recipe.name);
    }
  }

  Subject copy() {
    return {"copy on the device", 2.0 * static_cast<double>(output_bytes_), [this] {
              return time([&] {
                check_cuda(cudaMemcpyAsync(out_.get(), from_.get(), output_bytes_, cudaMemcpyDeviceToDevice, stream_),
                           "copy");
                return 1;
              });
            }};
  }
  /// Moved bytes are those of a plain row, so that rates compare as times do.
  Subject batches(const Source& source, const Recipe& recipe) {
    auto maker = std::make_shared<octavo::BatchMaker>(full_batches(source, recipe));
    const std::int64_t batch = maker->options().batch_size;
    const std::int64_t bytes = view(source, recipe, batch, 0).byte_count();
    const std::int64_t repeats = std::clamp<std::int64_t>(capacity() / bytes, 1, 500);
    return {source.name() + " B=" + std::to_string(batch), static_cast<double>(batch * source.shape().values() + bytes),
            [=, this, &source, &recipe, next = 0L]() mutable {
              return time([&] {
                std::int64_t offset = 0;
                for (std::int64_t i = 0; i < repeats; ++i, ++next, offset += (bytes + 255) / 256 * 256) {
                  if (offset + bytes > capacity()) offset = 0;
                  const std::int64_t steps = maker->batches_per_epoch();
                  maker->make(next / steps, next % steps, view(source, recipe, batch, offset), {}, StreamRef(stream_));
                }
                return repeats;
              });
            }};
  }

  /// Makes one batch within the range that a profiler sees.
  void profile(const Source& source, const Recipe& recipe) {
    const octavo::BatchMaker maker = full_batches(source, recipe);
    std::printf("profiled: %s, %s, B=%lld\n", source.name().c_str(), recipe.name.c_str(),
                static_cast<long long>(maker.options().batch_size));
    check_cuda(cudaProfilerStart(), "start the profiler");
    maker.make(0, 0, view(source, recipe, maker.options().batch_size, 0), {}, StreamRef(stream_));
    check_cuda(cudaStreamSynchronize(stream_), "make a batch");
    check_cuda(cudaProfilerStop(), "stop the profiler");
  }

 private:
  std::int64_t capacity() const { return static_cast<std::int64_t>(output_bytes_); }
  octavo::BatchMaker full_batches(const Source& source, const Recipe& recipe) const {
    const std::int64_t sample_bytes = 4 * source.shape().values();
    const std::int64_t batch_size = batch_size_ > 0 ? batch_size_ : kBatchBytes / sample_bytes;
    return make_batches(source.on_device(), recipe, std::min(batch_size, capacity() / sample_bytes));
  }
  TensorView view(const Source& source, const Recipe& recipe, std::int64_t batch, std::int64_t offset) const {
    TensorView view;
    view.data = static_cast<std::byte*>(out_.get()) + offset;
    view.dtype = recipe.spec.dtype;
    view.device = octavo::Device::cuda();
    const SampleShape image = octavo::batch_shape(recipe.spec, source.shape()).image;
    view.shape = recipe.spec.layout == Layout::nchw ? std::vector{batch, image.channels, image.height, image.width}
                                                    : std::vector{batch, image.height, image.width, image.channels};
    return view;
  }

  /// Seconds on the device of one of the runs that `work` enqueues and counts.
  template <typename Work>
  double time(Work&& work) {
    check_cuda(cudaEventRecord(start_, stream_), "record");
    const auto count = work();
    check_cuda(cudaEventRecord(end_, stream_), "record");
    check_cuda(cudaEventSynchronize(end_), "wait");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, end_), "time");
    return milliseconds * 1e-3 / static_cast<double>(count);
  }

  std::int64_t batch_size_;
  std::size_t output_bytes_;
  DeviceMemory from_, out_;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  while (static_cast<int>(files.size()) + 1 < argc && argv[files.size() + 1][0] != '-')
    files.emplace_back(argv[files.size() + 1]);
  if (files.empty()) {
    std::fprintf(
        stderr,
        "usage: bench_batches_cuda FILE.h5 [FILE.h5...] [--batch-size B] [--mib M] [--rounds R] [--json FILE]\n");
    return 2;
  }
  Results results("batches_cuda", argc, argv);
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 9));
  Bench bench(option(argc, argv, "--batch-size", 0), option(argc, argv, "--mib", 1024));
  std::vector<Source> sources;
  for (const std::string& file : files) sources.emplace_back(file);
  const SampleShape shape = sources[0].shape();
  for (const Source& source : sources) {
    const double float32_bytes = 4.0 * static_cast<double>(source.sample_count() * shape.values());
    const double ratio = float32_bytes / static_cast<double>(source.on_device().device_bytes());
    std::printf("%s: %lld samples of %s, %.2f times smaller than float32 on the device\n", source.name().c_str(),
                static_cast<long long>(source.sample_count()), to_string(shape).c_str(), ratio);
    results.note("ratio_to_float32, " + source.name(), ratio);
    if (source.shape() != shape)
      throw std::runtime_error(source.name() + " has another shape than " + sources[0].name());
  }
  results.note("reference", "copy: cudaMemcpyAsync on the device, bytes read and written, in the same section");
  results.note("checked", "the bits of the CPU, for every file and recipe, before it was timed");
  for (const Recipe& recipe : recipes(shape)) {
    std::vector<Subject> subjects = {bench.copy()};
    for (const Source& source : sources) {
      bench.check(source, recipe);
      if (rounds == 0)
        bench.profile(source, recipe);
      else
        subjects.push_back(bench.batches(source, recipe));
    }
    if (rounds == 0) continue;
    const std::vector<Measurement> measured = measure(subjects, rounds);
    results.section(to_string(shape) + ", " + recipe.name);
    for (const Measurement& one : measured) results.add(one, measured[0].bytes_per_second());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_batches_cuda: %s\n", error.what());
  return 1;
}
