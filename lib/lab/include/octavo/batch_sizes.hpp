// Why there are minibatches: loading and one matrix product at batch sizes from 1 to all samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/device.hpp>
#include <octavo/progress.hpp>

namespace octavo {

struct BatchSizeOptions {
  std::string split = {};             ///< empty: `train` if there is one, else the first
  std::optional<Device> device = {};  ///< without one: Device::best()
  std::uint64_t seed = 0;             ///< of the order
  ProgressFunction on_progress = {};
};

/// What a batch size costs.
struct BatchSizeSpeed {
  std::int64_t batch_size = 0;
  double images_per_second = 0.0;           ///< of loading: random batches from resident samples
  std::optional<double> by_element_gflops;  ///< the product [B,V] x [V,U] by one sum for each element; on the CPU only
  double by_column_gflops = 0.0;            ///< by one matrix-vector product for each sample
  std::optional<double> in_blocks_gflops;   ///< in blocks that stay in the cache; on the CPU only
  double whole_gflops = 0.0;                ///< as one matrix product of BLAS
};

struct BatchSizeComparison {
  std::string file;
  std::string split;
  std::string device;
  std::string device_name;
  std::string blas;
  std::int64_t values = 0;  ///< V, of a sample
  std::int64_t units = 0;   ///< U, of the layer
  std::vector<BatchSizeSpeed> sizes;
};

/// Loading and one matrix product at batch sizes 1, 10, 100, ... and of all samples, up to a quarter of the free
/// memory. The product is checked against the plain sum before it is timed.
BatchSizeComparison compare_batch_sizes(const Dataset& dataset, const BatchSizeOptions& options = {});

}  // namespace octavo
