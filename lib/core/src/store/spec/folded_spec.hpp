// Folds a BatchSpec and the statistics of a split into the affine maps of the kernels.
#pragma once

#include <vector>

#include <octavo/batch_spec.hpp>
#include <octavo/sample.hpp>
#include <octavo/statistics.hpp>

#include "kernels/affine.hpp"

namespace octavo::store {

/// A spec in the form that kernels use, in host memory.
struct FoldedSpec {
  std::vector<kernels::Affine> maps;                ///< [C], or [1] if all channels share it; only the scales are used
                                                    ///< with pixel_shifts, and nothing with center_on_batch
  std::vector<float> pixel_shifts;                  ///< C*P in output order, or empty
  bool center_on_batch = false;                     ///< compute maps for each batch from the next two
  std::vector<kernels::Quantization> quantization;  ///< [C]
  std::vector<double> divisors;                     ///< [C]
};

/// Folds `spec` for samples of `shape` with `quantization` [C]. `statistics` are those of the file, which may be of
/// another split with another quantization; the spec's own statistics replace them. Stored values are in the levels of
/// the statistics. Throws InvalidArgument if the spec does not match; see Store::prepare.
FoldedSpec fold_spec(const BatchSpec& spec, const Statistics& statistics,
                     const std::vector<ChannelQuantization>& quantization, const SampleShape& shape);

}  // namespace octavo::store
