// The gather of augmented images: a block draws the steps of an image once. Then its threads follow them for each
// value, or, if some steps need whole images, make these one after the other.
#include <algorithm>

#include "kernels/augment/image_passes.hpp"
#include "kernels/cuda/batch_rows.cuh"
#include "kernels/cuda/block_image.cuh"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/gather_variants.hpp"
#include "kernels/cuda/launch.cuh"

namespace octavo::kernels::cuda {
namespace {

/// Values of an image per block, so that large images have several blocks, up to a limit.
constexpr std::int64_t kBlockValues = 16384, kMostBlocks = 1024;
/// Images that are made at once: enough blocks to hide the latency of the memory that holds them.
constexpr int kImagesPerMultiprocessor = 4;
/// Outputs and weights of the filters in shared memory: enough for two axes of 224 pixels from images of up to 2,000.
constexpr std::int32_t kTableOutputs = 1024, kTableWeights = 8192;

/// The pixels that make an output of a filter.
struct FilterOutput {
  std::int32_t first, count;
};

/// The pixels of an output of a filter that does not fit in shared memory, and the weight of one of them. Out of line,
/// to save registers where the filters do fit.
OCTAVO_NO_INLINE __device__ FilterOutput computed_output(const AxisFilter& filter, std::int32_t out) {
  const std::int32_t first = filter.first(out);
  return {first, filter.end(out) - first};
}
OCTAVO_NO_INLINE __device__ std::int32_t computed_weight(const AxisFilter& filter, std::int32_t out,
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

/// The threads of a block.
struct BlockImageThreads {
  __device__ static std::int64_t index() { return threadIdx.x; }
  __device__ static std::int64_t count() { return blockDim.x; }
  __device__ static void wait() { __syncthreads(); }
  template <typename Number>
  __device__ static void add(Number& sum, Number number) {
    atomicAdd(&sum, number);
  }
};

/// Fills the filters. Out of line, because few threads of a block do it.
template <typename Filters>
OCTAVO_NO_INLINE __device__ void fill_filters(const AugmentProgram& program, const DrawnImage& image, StepRange steps,
                                              Filters& filters) {
  filters.fill(program, image, steps);
}

/// The remaining steps of an image. They are applied to `codes`, which the steps before them made.
struct LeftSteps {
  const std::int8_t* codes;
  StepRange steps;
};

/// Stores part `part` of `part_count` of image `i`, mixed with its partner if samples are mixed.
template <typename Value, bool kMixes, typename Filters>
__device__ inline void store_image(const GatherArgs& args, const BlockImage<kMixes>& image, const LeftSteps* left,
                                   const Filters& filters, std::uint32_t i, unsigned part, unsigned part_count) {
  const std::int64_t count = args.batch.image.values();
  Value* const out = static_cast<Value*>(args.values) + static_cast<std::int64_t>(i) * count;
  const std::int64_t stride = static_cast<std::int64_t>(part_count) * blockDim.x;
  const OutputPixels pixels(args.batch.layout, args.batch.image);
  const auto value = [&](int of, std::int64_t at) {
    return gathered_value(drawn_stages(args, image.drawn[of], left[of].steps, filters), left[of].codes,
                          image.sample(of), at);
  };
  for (std::int64_t at = static_cast<std::int64_t>(part) * blockDim.x + threadIdx.x; at < count; at += stride) {
    if constexpr (kMixes) {
      const OutputPixel pixel = pixels.at(at);
      out[at] = round_to<Value>(mixed_value(
          image.mixed.step, pixel.y, pixel.x, [&] { return value(0, at); }, [&] { return value(1, at); }));
    } else {
      out[at] = round_to<Value>(value(0, at));
    }
  }
}

/// Blocks per multiprocessor. With more, drawing would spill registers on some architectures; resizing waits less for
/// memory.
constexpr int kLeastBlocks = 2;

template <typename Value, typename Filters, bool kMixes>
__global__ void __launch_bounds__(kImageThreads, kLeastBlocks) gather_augmented(const GatherArgs args) {
  static_assert(!kMixes || !Filters::kResizes, "the filters are those of one image");
  __shared__ BlockImage<kMixes> image;
  __shared__ Filters filters;
  draw_block_image(args, blockIdx.x, image);
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  const StepRange steps = {0, args.program->op_count};
  LeftSteps left[BlockImage<kMixes>::kImages];
  for (int of = 0; of < BlockImage<kMixes>::kImages; ++of) {
    left[of] = {codes_of(args.packed, image.sample(of).row), steps};
  }
  fill_filters(*args.program, image.drawn[0], steps, filters);
  store_image<Value>(args, image, left, filters, blockIdx.x, blockIdx.y, gridDim.y);
  if (blockIdx.y == 0) write_label(args, image.mixed, blockIdx.x);
  cursor.finish();
}

/// Makes whole images between steps, in global memory: each block has a slot, and makes one image after the other.
template <typename Value, bool kMixes>
__global__ void __launch_bounds__(kImageThreads, kLeastBlocks)
    gather_made_images(const GatherArgs args, std::uint32_t image_count) {
  constexpr int kImages = BlockImage<kMixes>::kImages;
  __shared__ BlockImage<kMixes> image;
  __shared__ FilterTables filters;
  __shared__ ImageStatistics statistics;
  std::byte* const slot = args.image_memory + blockIdx.x * args.image_slot_bytes;
  const BlockImageThreads threads;
  for (std::uint32_t i = blockIdx.x; i < image_count; i += gridDim.x) {
    draw_block_image(args, i, image);
    LeftSteps left[kImages];
    for (int of = 0; of < kImages; ++of) {
      const ImageMemory memory =
          image_memory(*args.program, args.sample.channels, slot + of * (args.image_slot_bytes / kImages));
      ImagePasses<BlockImageThreads, FilterTables> passes(threads, *args.program, image.drawn[of], args.sample.channels,
                                                          memory, statistics, filters);
      const std::int8_t* const codes = codes_of(args.packed, image.sample(of).row);
      left[of].steps = passes.make(codes, kMixes);
      left[of].codes = passes.made() == nullptr ? codes : passes.made();
    }
    store_image<Value>(args, image, left, filters, i, 0, 1);
    write_label(args, image.mixed, i);
    __syncthreads();  // before the next image
  }
  CursorAdvance(args.selection.cursor, args.cursor_batches).finish();
}

}  // namespace

std::int64_t most_images_at_once(const DeviceTraits& device) {
  return std::int64_t{kImagesPerMultiprocessor} * device.multiprocessor_count;
}

template <typename Value>
cudaError_t launch_gather_augmented(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                    cudaStream_t stream) {
  const std::int64_t images = args.batch_count * args.batch.views;
  const std::int64_t parts = std::min(kMostBlocks, (args.batch.image.values() + kBlockValues - 1) / kBlockValues);
  const dim3 blocks(static_cast<unsigned>(images), static_cast<unsigned>(parts)), threads(kImageThreads);
  switch (args.augment_demand) {
    case AugmentDemand::moves:
    case AugmentDemand::erasing_moves:
      if (takes_moved<Value>(args)) return launch_gather_moved<Value>(args, policies, device, stream);
      [[fallthrough]];
    case AugmentDemand::pixels:
      return launch(
          args.mix.is_on ? &gather_augmented<Value, NoFilters, true> : &gather_augmented<Value, NoFilters, false>,
          blocks, threads, stream, args);
    case AugmentDemand::resizing:
      if (takes_resized<Value>(args)) return launch_gather_resized<Value>(args, policies, stream);
      return launch(&gather_augmented<Value, FilterTables, false>, blocks, threads, stream, args);
    case AugmentDemand::images:
      return launch(args.mix.is_on ? &gather_made_images<Value, true> : &gather_made_images<Value, false>,
                    dim3(static_cast<unsigned>(std::min(images, args.image_slots))), threads, stream, args,
                    static_cast<std::uint32_t>(images));
  }
  return cudaErrorInvalidValue;
}

#define OCTAVO_INSTANTIATE(Value)                                                                                   \
  template cudaError_t launch_gather_augmented<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                      cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
