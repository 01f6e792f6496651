// The gather of masks: a block draws the steps of an image once, and its threads follow them for each pixel. Masks have
// a twelfth of the bytes of their float32 RGB images, so this kernel is simple rather than fast.
#include <algorithm>

#include "kernels/augment/needed_part.hpp"
#include "kernels/cuda/block/block_threads.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/mask_gather.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kThreads = 256;
/// Of a multiprocessor. Without it the compiler spills registers on 12.0 to fit a third block.
constexpr unsigned kLeastBlocks = 2;
/// Pixels per thread, to pay for drawing the steps.
constexpr std::int64_t kBlockPixels = 16 * kThreads, kMostBlocks = 1024;

/// Draws a step of an image. Out of line, because few threads of a block do it.
OCTAVO_NO_INLINE __device__ void draw_mask_step(const MaskGatherArgs& args, const DrawKey& key, int i,
                                                DrawnImage& image) {
  draw_step(*args.program, args.channels, key, i, image);
}

template <typename Value, typename Rows>
__global__ void __launch_bounds__(kThreads, kLeastBlocks)
    gather_masks(const MaskGatherArgs args, const std::uint32_t mask_count, const std::uint32_t pixels) {
  __shared__ SelectedSample sample;
  __shared__ DrawnImage image;
  __shared__ ImagePart part;
  const Rows rows(args.packed);
  auto* const slot =
      reinterpret_cast<std::int8_t*>(args.block_memory.memory + blockIdx.x * args.block_memory.slot_bytes);
  const auto views = static_cast<std::uint32_t>(args.views);
  const auto width = static_cast<std::uint32_t>(args.out_size.width);
  for (std::uint32_t mask_number = blockIdx.x; mask_number < mask_count; mask_number += gridDim.x) {
    if (threadIdx.x == 0) sample = sample_at(args.selection, mask_number / views);
    __syncthreads();  // also after the mask before: its sample was read before load_row() waited
    if (args.program != nullptr) {
      const DrawKey key = draw_key(args, sample, mask_number % views);
      for (int i = static_cast<int>(threadIdx.x); i < args.program->op_count; i += static_cast<int>(kThreads)) {
        draw_mask_step(args, key, i, image);
      }
      __syncthreads();
    }
    if constexpr (!Rows::kInPlace) {
      if (threadIdx.x == 0) {
        part = args.program == nullptr ? whole_image(args.packed.shape) : needed_part(*args.program, image);
      }
      __syncthreads();
    }
    const std::int8_t* const mask = load_row(rows, sample.row, part, slot, BlockThreads());
    Value* const out = static_cast<Value*>(args.masks) + static_cast<std::int64_t>(mask_number) * pixels;
    for (std::uint32_t pixel = blockIdx.y * kThreads + threadIdx.x; pixel < pixels; pixel += gridDim.y * kThreads) {
      const std::int64_t from = args.program == nullptr
                                    ? pixel
                                    : mask_pixel(*args.program, image, static_cast<std::int32_t>(pixel / width),
                                                 static_cast<std::int32_t>(pixel % width));
      out[pixel] = mask_value<Value>(args, mask, from);
    }
  }
}

/// In place, every mask has blocks of its own. Decoded, it has one, and the blocks take turns.
template <typename Rows>
cudaError_t launch_rows(const MaskGatherArgs& args, cudaStream_t stream) {
  const std::int64_t masks = args.batch_count * args.views, pixels = args.out_pixels();
  const std::int64_t splits =
      Rows::kInPlace ? std::clamp<std::int64_t>((pixels + kBlockPixels - 1) / kBlockPixels, 1, kMostBlocks) : 1;
  const dim3 grid(static_cast<unsigned>(Rows::kInPlace ? masks : std::min(masks, args.block_memory.slots)),
                  static_cast<unsigned>(splits));
  return launch(args.dtype == DType::uint8 ? &gather_masks<std::uint8_t, Rows> : &gather_masks<std::int64_t, Rows>,
                grid, dim3(kThreads), stream, args, static_cast<std::uint32_t>(masks),
                static_cast<std::uint32_t>(pixels));
}

}  // namespace

cudaError_t launch_mask_gather(const MaskGatherArgs& args, const DeviceTraits&, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  return is_in_place(args.packed.coding) ? launch_rows<PlainRows>(args, stream)
                                         : launch_rows<DecodedRows>(args, stream);
}

}  // namespace octavo::kernels::cuda
