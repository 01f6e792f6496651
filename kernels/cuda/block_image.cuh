// An augmented image that a thread block makes: its sample, what the block draws for it, and its label.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/geometry.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// Threads of a block that makes an image.
inline constexpr unsigned kImageThreads = 256;

// These functions are out of line, because few threads of a block call them.

/// Draws step `i` of an image.
OCTAVO_NO_INLINE __device__ static void draw_block_step(const GatherArgs& args, const DrawKey& key, int i,
                                                        DrawnImage& image) {
  draw_step(*args.program, args.sample.channels, key, i, image);
}
/// The sample at position `b` of the batch.
OCTAVO_NO_INLINE __device__ static MixedSample find_mixed(const GatherArgs& args, std::int64_t b) {
  return mixed_sample_at(args, b);
}

/// An image of the batch that a block makes; if samples are mixed, also the image of the partner.
template <bool kMixes>
struct BlockImage {
  static constexpr int kImages = kMixes ? 2 : 1;

  MixedSample mixed;
  DrawnImage drawn[kImages];

  __device__ const SelectedSample& sample(int of) const { return of == 0 ? mixed.sample : mixed.partner; }
};

/// Draws image `i` of the batch: each warp draws every eighth step. All threads of the block call this.
template <bool kMixes>
__device__ inline void draw_block_image(const GatherArgs& args, std::uint32_t i, BlockImage<kMixes>& image) {
  constexpr int kLanes = static_cast<int>(kWarpThreads), kWarps = static_cast<int>(kImageThreads) / kLanes;
  const auto views = static_cast<std::uint32_t>(args.batch.views);
  if (threadIdx.x == 0) {
    if constexpr (kMixes)
      image.mixed = find_mixed(args, i / views);
    else
      image.mixed = unmixed(sample_at(args.selection, i / views));
  }
  __syncthreads();
  if (threadIdx.x % kLanes == 0) {
    for (int of = 0; of < BlockImage<kMixes>::kImages; ++of) {
      const DrawKey key = draw_key(args, image.sample(of), i % views);
      for (int step = static_cast<int>(threadIdx.x) / kLanes; step < args.program->op_count; step += kWarps) {
        draw_block_step(args, key, step, image.drawn[of]);
      }
    }
  }
  __syncthreads();
}

/// Writes the label of the sample of image `i`, if it is the first one of the sample.
__device__ inline void write_label(const GatherArgs& args, const MixedSample& mixed, std::uint32_t i) {
  const auto views = static_cast<std::uint32_t>(args.batch.views);
  if (args.out_labels == nullptr || i % views != 0) return;
  for (std::int64_t number = threadIdx.x; number < label_width(args); number += blockDim.x) {
    write_label_number(args, mixed, i / views, number);
  }
}

}  // namespace octavo::kernels::cuda
