// How fast a dataset file is loaded and served on a machine, measured against the machine's own limits in the same run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/progress.hpp>
#include <octavo/measurements.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

struct BenchmarkOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< without one: Device::best()
  std::vector<std::int64_t> batch_sizes = {1, 32, 256, 512, 4096, 65536};  ///< those that the split and a quarter of
                                                                           ///< the free memory have room for
  std::vector<DType> dtypes = {DType::float32, DType::float16, DType::bfloat16};
  ProgressFunction on_progress = {};
};

/// Loading the split onto the device.
struct LoadSpeed {
  std::int64_t bytes = 0;          ///< packed samples
  double read_seconds = 0.0;       ///< median; the same bytes read from the file into fresh host memory
  double unchecked_seconds = 0.0;  ///< median; Store::load without comparing checksums
  double checked_seconds = 0.0;    ///< median; Store::load as it is by default
};

/// One kind of batch: [B,C,H,W], normalized as BatchSpec does by default.
struct BatchSpeed {
  DType dtype = DType::float32;
  GatherSpeed gather;
};

/// Everything that was measured.
struct Benchmark {
  std::string split;
  std::string device;
  std::string device_name;
  std::int64_t sample_count = 0;
  std::string shape;
  LoadSpeed load;
  std::vector<BatchSpeed> batches;
};

/// Measures loading and serving the split. Loading: from the page cache, where the file is after the first read. Each
/// kind of batch takes turns with the best copy of the device, as in measure_report(); what is written stays in one
/// buffer, as it does in a training loop, so small batches find it in the cache.
/// Throws InvalidArgument for a batch size below 1, a split that is not there or that is too small to be timed; what
/// Store::load throws.
Benchmark run_benchmark(const Dataset& dataset, const BenchmarkOptions& options = {});

}  // namespace octavo
