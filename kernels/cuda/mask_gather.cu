// The gather of masks: a block draws the steps of an image once, and its threads follow them for each pixel. Masks have
// a twelfth of the bytes of their float32 RGB images, so this kernel is simple rather than fast.
#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/mask_gather.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kThreads = 256;
/// Pixels per thread, to pay for drawing the steps.
constexpr std::int64_t kBlockPixels = 16 * kThreads, kMostBlocks = 1024;

/// Draws a step of an image. Out of line, because few threads of a block do it.
OCTAVO_NO_INLINE __device__ void draw_mask_step(const MaskGatherArgs& args, const DrawKey& key, int i,
                                                DrawnImage& image) {
  draw_step(*args.program, args.channels, key, i, image);
}

template <typename Value>
__global__ void __launch_bounds__(kThreads) gather_masks(const MaskGatherArgs args, const std::uint32_t pixels) {
  __shared__ SelectedSample sample;
  __shared__ DrawnImage image;
  const std::uint32_t mask_number = blockIdx.x;
  const auto views = static_cast<std::uint32_t>(args.views);
  if (threadIdx.x == 0) sample = sample_at(args.selection, mask_number / views);
  __syncthreads();
  if (args.program != nullptr) {
    const DrawKey key = draw_key(args, sample, mask_number % views);
    for (int i = static_cast<int>(threadIdx.x); i < args.program->op_count; i += static_cast<int>(kThreads)) {
      draw_mask_step(args, key, i, image);
    }
    __syncthreads();
  }
  const std::uint8_t* const mask = mask_of(args, sample.row);
  Value* const out = static_cast<Value*>(args.masks) + static_cast<std::int64_t>(mask_number) * pixels;
  const auto width = static_cast<std::uint32_t>(args.out_size.width);
  for (std::uint32_t pixel = blockIdx.y * kThreads + threadIdx.x; pixel < pixels; pixel += gridDim.y * kThreads) {
    const std::int64_t from = args.program == nullptr
                                  ? pixel
                                  : mask_pixel(*args.program, image, static_cast<std::int32_t>(pixel / width),
                                               static_cast<std::int32_t>(pixel % width));
    out[pixel] = mask_value<Value>(args, mask, from);
  }
}

}  // namespace

cudaError_t launch_mask_gather(const MaskGatherArgs& args, const DeviceTraits&, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  const std::int64_t pixels = args.out_pixels();
  const auto splits = std::clamp<std::int64_t>((pixels + kBlockPixels - 1) / kBlockPixels, 1, kMostBlocks);
  const dim3 grid(static_cast<unsigned>(args.batch_count * args.views), static_cast<unsigned>(splits));
  return launch(args.dtype == DType::uint8 ? &gather_masks<std::uint8_t> : &gather_masks<std::int64_t>, grid,
                dim3(kThreads), stream, args, static_cast<std::uint32_t>(pixels));
}

}  // namespace octavo::kernels::cuda
