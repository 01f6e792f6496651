// Measures how fast a dataset file is loaded and served, compared with the machine's own limits in the same run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/augment.hpp>
#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/measurements.hpp>
#include <octavo/progress.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

struct BenchmarkOptions {
  std::string split = {};             ///< empty: `train` if it exists, else the first split
  std::optional<Device> device = {};  ///< empty: Device::best()
  std::vector<std::int64_t> batch_sizes = {1, 32, 256, 512, 4096, 65536};  ///< sizes above the split or a quarter of
                                                                           ///< the free memory are skipped
  std::vector<DType> dtypes = {DType::float32, DType::float16, DType::bfloat16};
  augment::Operations augment = {};  ///< of the batches
  ProgressFunction on_progress = {};
};

/// Time to load the split onto the device.
struct LoadSpeed {
  std::int64_t bytes = 0;          ///< packed samples
  double read_seconds = 0.0;       ///< median time to read the same bytes from the file into new host memory
  double unchecked_seconds = 0.0;  ///< median time of Store::load without checksums
  double checked_seconds = 0.0;    ///< median time of Store::load with default options
};

/// Speed of one kind of batch: [B,C,H,W], normalized by a default BatchSpec, and augmented.
struct BatchSpeed {
  DType dtype = DType::float32;
  GatherSpeed gather;
};

/// All measurements.
struct Benchmark {
  std::string split;
  std::string device;
  std::string device_name;
  std::int64_t sample_count = 0;
  std::string shape;
  LoadSpeed load;
  std::vector<BatchSpeed> batches;
};

/// Measures loading and serving a split. Loads come from the page cache, which holds the file after the first read.
/// Each kind of batch alternates with copies of as many bytes from memory of the split's size, as in measure_report().
/// Every batch, and every copy, goes to the same buffer, as in a training loop, so small ones hit the cache.
/// Throws InvalidArgument for a batch size below 1, an unknown split or one that is too small to time, and what
/// Store::load throws.
Benchmark run_benchmark(const Dataset& dataset, const BenchmarkOptions& options = {});

}  // namespace octavo
