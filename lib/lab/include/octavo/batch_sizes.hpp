// Shows why training uses batches: measures loading and one matrix product at batch sizes from 1 to all samples.
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
  std::string split = {};             ///< empty: `train` if it exists, else the first split
  std::optional<Device> device = {};  ///< empty: Device::best()
  std::uint64_t seed = 0;             ///< of the order
  ProgressFunction on_progress = {};
};

/// The measurements at one batch size.
struct BatchSizeSpeed {
  std::int64_t batch_size = 0;
  double images_per_second = 0.0;           ///< loading random batches from resident samples
  std::optional<double> by_element_gflops;  ///< the product [B,V] x [V,U] as one dot product per element; CPU only
  double by_column_gflops = 0.0;            ///< as one matrix-vector product per sample
  std::optional<double> in_blocks_gflops;   ///< in blocks that stay in the cache; CPU only
  double whole_gflops = 0.0;                ///< as one BLAS matrix product
};

struct BatchSizeComparison {
  std::string file;
  std::string split;
  std::string device;
  std::string device_name;
  std::string blas;
  std::int64_t values = 0;  ///< V, values per sample
  std::int64_t units = 0;   ///< U, units of the layer
  std::vector<BatchSizeSpeed> sizes;
};

/// Measures loading and one matrix product at batch sizes 1, 10, 100, ... and all samples, up to a quarter of the free
/// memory. Checks the product against plain sums before timing it.
BatchSizeComparison compare_batch_sizes(const Dataset& dataset, const BatchSizeOptions& options = {});

}  // namespace octavo
