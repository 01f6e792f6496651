// The gather of augmented images: a block draws the steps of an image once, then its threads follow them for each
// value.
#include <algorithm>

#include "kernels/cuda/batch_rows.cuh"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/cuda/launch.cuh"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kThreads = 256;
/// Values of an image per block, so that large images have several blocks, up to a limit.
constexpr std::int64_t kBlockValues = 16384, kMostBlocks = 1024;
/// Outputs and weights of the filters in shared memory: enough for two axes of 224 pixels from images of up to 2,000.
constexpr std::int32_t kTableOutputs = 1024, kTableWeights = 8192;

/// For programs that do not resize.
struct NoTables : NoFilters {
  static constexpr int kLeastBlocks = 2;  ///< with more, drawing would spill registers on some architectures

  __device__ void fill(const AugmentProgram&, const DrawnImage&) {}
};

/// The weight of a pixel of a filter that does not fit in shared memory.
OCTAVO_NO_INLINE __device__ std::int32_t computed_weight(const AxisFilter& filter, std::int32_t out,
                                                         std::int32_t pixel) {
  return filter.weight(out, pixel);
}

/// The filters of up to kSteps resizing steps of one image, in shared memory. Those that do not fit are computed
/// whenever a weight is needed.
template <int kSteps>
class FilterTables {
 public:
  static constexpr int kMostSteps = kSteps;
  /// Resizing needs more registers, and waits less for memory.
  static constexpr int kLeastBlocks = kSteps == 1 ? 2 : 1;

  /// Fills the tables. All threads of the block must call it, after one of them has drawn the image.
  __device__ void fill(const AugmentProgram& program, const DrawnImage& image) {
    std::int32_t outputs = 0, weights = 0;
    for (int i = 0; i < program.op_count; ++i) {
      const AugmentStep& step = image.steps[i];
      if (step.kind != StepKind::resample) continue;
      const AugmentOp& op = program.ops[i];
      for (int axis = 0; axis < 2; ++axis) {
        const AxisFilter filter = axis == 0 ? AxisFilter{step.height, op.height, op.antialias}
                                            : AxisFilter{step.width, op.width, op.antialias};
        const std::int64_t weight_count = static_cast<std::int64_t>(filter.out_count) * filter.most_taps();
        const bool fits = outputs + filter.out_count <= kTableOutputs && weights + weight_count <= kTableWeights;
        if (threadIdx.x == 0) axes_[i][axis] = {fits ? outputs : -1, weights, filter.most_taps()};
        if (!fits) continue;
        fill_axis(filter, outputs, weights);
        outputs += filter.out_count;
        weights += static_cast<std::int32_t>(weight_count);
      }
    }
    __syncthreads();
  }

  template <typename Visit>
  __device__ void for_weights(int step, ImageAxis axis, const AxisFilter& filter, std::int32_t out,
                              const Visit& visit) const {
    const Axis& table = axes_[step][axis == ImageAxis::down ? 0 : 1];
    const bool is_computed = table.outputs < 0;
    const Output output =
        is_computed ? Output{filter.first(out), filter.end(out) - filter.first(out)} : outputs_[table.outputs + out];
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
  /// The pixels that make an output.
  struct Output {
    std::int32_t first, count;
  };

  __device__ void fill_axis(const AxisFilter& filter, std::int32_t outputs, std::int32_t weights) {
    const std::int32_t taps = filter.most_taps();
    for (auto out = static_cast<std::int32_t>(threadIdx.x); out < filter.out_count;
         out += static_cast<std::int32_t>(blockDim.x)) {
      const std::int32_t first = filter.first(out);
      outputs_[outputs + out] = {first, filter.end(out) - first};
      std::int16_t* const to = weights_ + weights + out * taps;
      filter.for_weights(
          out, [&](std::int32_t pixel, std::int32_t weight) { to[pixel - first] = static_cast<std::int16_t>(weight); });
    }
  }

  Axis axes_[kMostAugmentOps][2];
  Output outputs_[kTableOutputs];
  std::int16_t weights_[kTableWeights];
};

/// Draws the steps of an image. Out of line, because one thread of a block does it once.
OCTAVO_NO_INLINE __device__ void draw_one(const GatherArgs& args, const SelectedSample& sample, std::uint32_t view,
                                          DrawnImage& image) {
  draw_image(args, sample, view, image);
}
/// Fills the tables. Out of line for the same reason.
template <typename Tables>
OCTAVO_NO_INLINE __device__ void fill_tables(const AugmentProgram& program, const DrawnImage& image, Tables& tables) {
  tables.fill(program, image);
}

template <typename Value, typename Tables>
__global__ void __launch_bounds__(kThreads, Tables::kLeastBlocks) gather_augmented(const GatherArgs args) {
  __shared__ SelectedSample sample;
  __shared__ DrawnImage image;
  __shared__ Tables filters;
  const auto views = static_cast<std::uint32_t>(args.batch.views);
  const std::int64_t b = blockIdx.x / views;
  const std::uint32_t view = blockIdx.x % views;
  if (threadIdx.x == 0) {
    sample = sample_at(args.selection, b);
    draw_one(args, sample, view, image);
  }
  __syncthreads();
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  fill_tables(*args.program, image, filters);
  const auto stages = drawn_stages(args, image, filters);
  const std::int64_t count = args.batch.image.values();
  Value* const out = static_cast<Value*>(args.values) + static_cast<std::int64_t>(blockIdx.x) * count;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.y) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x; i < count; i += stride) {
    out[i] = gathered_value<Value>(stages, sample, i);
  }
  if (args.out_labels != nullptr && view == 0 && blockIdx.y == 0) {
    for (std::int64_t word = threadIdx.x; word < args.packed.label_words; word += blockDim.x) {
      copy_label_word(args, sample.row, b, word);
    }
  }
  cursor.finish();
}

}  // namespace

template <typename Value>
cudaError_t launch_gather_augmented(const GatherArgs& args, cudaStream_t stream) {
  const std::int64_t blocks = std::min(kMostBlocks, (args.batch.image.values() + kBlockValues - 1) / kBlockValues);
  const auto kernel = args.resampling_count == 0   ? &gather_augmented<Value, NoTables>
                      : args.resampling_count == 1 ? &gather_augmented<Value, FilterTables<1>>
                                                   : &gather_augmented<Value, FilterTables<2>>;
  return launch(kernel, dim3(static_cast<unsigned>(args.batch_count * args.batch.views), static_cast<unsigned>(blocks)),
                dim3(kThreads), stream, args);
}

#define OCTAVO_INSTANTIATE(Value) template cudaError_t launch_gather_augmented<Value>(const GatherArgs&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
