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

template <typename Value>
__global__ void __launch_bounds__(kThreads) gather_augmented(const GatherArgs args) {
  __shared__ SelectedSample sample;
  __shared__ DrawnImage image;
  const auto views = static_cast<std::uint32_t>(args.batch.views);
  const std::int64_t b = blockIdx.x / views;
  const std::uint32_t view = blockIdx.x % views;
  if (threadIdx.x == 0) {
    sample = sample_at(args.selection, b);
    draw_image(args, sample, view, image);
  }
  __syncthreads();
  const CursorAdvance cursor(args.selection.cursor, args.cursor_batches);
  const DrawnStages stages = drawn_stages(args, image);
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
  return launch(gather_augmented<Value>,
                dim3(static_cast<unsigned>(args.batch_count * args.batch.views), static_cast<unsigned>(blocks)),
                dim3(kThreads), stream, args);
}

#define OCTAVO_INSTANTIATE(Value) template cudaError_t launch_gather_augmented<Value>(const GatherArgs&, cudaStream_t);
OCTAVO_FOR_VALUE_TYPES(OCTAVO_INSTANTIATE)
#undef OCTAVO_INSTANTIATE

}  // namespace octavo::kernels::cuda
