// The gather of augmented images: a block draws the steps of an image once. Then its threads follow them for each
// value.
#include <algorithm>

#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/block_image.cuh"
#include "kernels/cuda/block/filter_tables.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/gather_variants.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Values of an image per block, so that large images have several blocks, up to a limit.
constexpr std::int64_t kBlockValues = 16384, kMostBlocks = 1024;

template <typename Value, typename Filters, bool kMixes>
__global__ void __launch_bounds__(kImageThreads, kLeastImageBlocks) gather_augmented(const GatherArgs args) {
  static_assert(!kMixes || !Filters::kResizes, "the filters are those of one image");
  __shared__ BlockImage<kMixes> image;
  __shared__ Filters filters;
  draw_block_image(args, blockIdx.x, image);
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  const StepRange steps = {0, args.augment.program->op_count};
  RemainingSteps remaining[BlockImage<kMixes>::kImages];
  for (int of = 0; of < BlockImage<kMixes>::kImages; ++of) {
    remaining[of] = {PlainRows(args.packed).codes(image.sample(of).row), steps};
  }
  fill_filters(*args.augment.program, image.drawn[0], steps, filters);
  store_image<Value>(args, image, remaining, filters, blockIdx.x, blockIdx.y, gridDim.y);
  if (blockIdx.y == 0) write_label(args, image.mixed, blockIdx.x);
  cursor.finish();
}

}  // namespace

template <typename Value>
cudaError_t launch_gather_augmented(const GatherArgs& args, const CachePolicies& policies, const DeviceTraits& device,
                                    cudaStream_t stream) {
  const std::int64_t images = args.batch_count * args.batch.views;
  const std::int64_t parts = std::min(kMostBlocks, (args.batch.image.values() + kBlockValues - 1) / kBlockValues);
  const dim3 blocks(static_cast<unsigned>(images), static_cast<unsigned>(parts)), threads(kImageThreads);
  switch (args.augment.demand) {
    case AugmentDemand::moves:
    case AugmentDemand::erasing_moves:
      if (takes_moved<Value>(args)) return launch_gather_moved<Value>(args, policies, device, stream);
      [[fallthrough]];
    case AugmentDemand::pixels:
      return launch(args.augment.mix.is_on ? &gather_augmented<Value, NoFilters, true>
                                           : &gather_augmented<Value, NoFilters, false>,
                    blocks, threads, stream, args);
    case AugmentDemand::resizing:
      if (takes_resized<Value>(args)) return launch_gather_resized<Value>(args, policies, stream);
      return launch(&gather_augmented<Value, FilterTables, false>, blocks, threads, stream, args);
    case AugmentDemand::images:
      return launch_gather_images<Value>(args, stream);
  }
  return cudaErrorInvalidValue;
}

#define OCTAVO_INSTANTIATE(Value)                                                                                   \
  template cudaError_t launch_gather_augmented<Value>(const GatherArgs&, const CachePolicies&, const DeviceTraits&, \
                                                      cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
