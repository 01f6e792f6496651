// The filters of a resizing step in the shared memory of a block.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/augment/resized_image.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// Outputs and weights of the filters in shared memory: enough for two axes of 224 pixels from images of up to 2,000.
inline constexpr std::int32_t kTableOutputs = 1024, kTableWeights = 8192;

/// The pixels that make an output of a filter.
struct FilterOutput {
  std::int32_t first, count;
};

/// The pixels of an output of a filter that does not fit in shared memory, and the weight of one of them. Out of line,
/// to save registers where the filters do fit.
OCTAVO_NO_INLINE __device__ static FilterOutput computed_output(const AxisFilter& filter, std::int32_t out) {
  const std::int32_t first = filter.first(out);
  return {first, filter.end(out) - first};
}
OCTAVO_NO_INLINE __device__ static std::int32_t computed_weight(const AxisFilter& filter, std::int32_t out,
                                                                std::int32_t pixel) {
  return filter.weight(out, pixel);
}

/// The filters of a resizing step, in shared memory. Those that do not fit are computed whenever a weight is needed.
class FilterTables {
 public:
  static constexpr bool kResizes = true;

  /// Fills the tables. All threads of the block call this, after one of them has drawn the image.
  __device__ void fill(const AugmentProgram& program, const DrawnImage& image, StepRange steps) {
    for (int i = steps.first; i < steps.last; ++i) {
      if (image.steps[i].kind == StepKind::resample) fill_step(program.ops[i], image.steps[i]);
    }
    __syncthreads();
  }

  template <typename Visit>
  __device__ void for_weights(ImageAxis axis, const AxisFilter& filter, std::int32_t out, const Visit& visit) const {
    const Axis& table = axes_[axis == ImageAxis::down ? 0 : 1];
    const bool is_computed = table.outputs < 0;
    const FilterOutput output = is_computed ? computed_output(filter, out) : outputs_[table.outputs + out];
    const std::int16_t* const weights = weights_ + table.weights + out * table.taps;
    for (std::int32_t k = 0; k < output.count; ++k) {
      visit(output.first + k,
            is_computed ? computed_weight(filter, out, output.first + k) : static_cast<std::int32_t>(weights[k]));
    }
  }

 private:
  struct Axis {
    std::int32_t outputs;  ///< where its outputs begin; -1: not in the tables
    std::int32_t weights;  ///< where its weights begin
    std::int32_t taps;     ///< weights per output
  };

  __device__ void fill_step(const AugmentOp& op, const AugmentStep& step) {
    std::int32_t outputs = 0, weights = 0;
    for (int axis = 0; axis < 2; ++axis) {
      const AxisFilter filter = filter_of(op, step, axis == 0 ? ImageAxis::down : ImageAxis::across);
      const std::int64_t weight_count = static_cast<std::int64_t>(filter.out_count) * filter.most_taps();
      const bool fits = outputs + filter.out_count <= kTableOutputs && weights + weight_count <= kTableWeights;
      if (threadIdx.x == 0) axes_[axis] = {fits ? outputs : -1, weights, filter.most_taps()};
      if (!fits) continue;
      fill_axis(filter, outputs, weights);
      outputs += filter.out_count;
      weights += static_cast<std::int32_t>(weight_count);
    }
  }
  __device__ void fill_axis(const AxisFilter& filter, std::int32_t outputs, std::int32_t weights) {
    const std::int32_t taps = filter.most_taps();
    for (auto out = static_cast<std::int32_t>(threadIdx.x); out < filter.out_count;
         out += static_cast<std::int32_t>(blockDim.x)) {
      outputs_[outputs + out] = computed_output(filter, out);
      const std::int32_t first = outputs_[outputs + out].first;
      std::int16_t* const to = weights_ + weights + out * taps;
      filter.for_weights(
          out, [&](std::int32_t pixel, std::int32_t weight) { to[pixel - first] = static_cast<std::int16_t>(weight); });
    }
  }

  Axis axes_[2];
  FilterOutput outputs_[kTableOutputs];
  std::int16_t weights_[kTableWeights];
};

/// Fills the filters. All threads of the block call this. Out of line, to save registers in the rest of a kernel.
template <typename Filters>
OCTAVO_NO_INLINE __device__ void fill_filters(const AugmentProgram& program, const DrawnImage& image, StepRange steps,
                                              Filters& filters) {
  filters.fill(program, image, steps);
}

}  // namespace octavo::kernels::cuda
