// An augmented image that a thread block makes: its sample, what the block draws for it, and its label.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/block/geometry.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// Threads of a block that makes an image.
inline constexpr unsigned kImageThreads = 256;
/// Blocks per multiprocessor. With more, drawing would spill registers on some architectures; resizing waits less for
/// memory.
inline constexpr int kLeastImageBlocks = 2;

// These functions are out of line, because few threads of a block call them.

/// Draws step `i` of an image.
OCTAVO_NO_INLINE __device__ static void draw_block_step(const GatherArgs& args, const DrawKey& key, int i,
                                                        DrawnImage& image) {
  draw_step(*args.augment.program, args.sample.channels, key, i, image);
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
      for (int step = static_cast<int>(threadIdx.x) / kLanes; step < args.augment.program->op_count; step += kWarps) {
        draw_block_step(args, key, step, image.drawn[of]);
      }
    }
  }
  __syncthreads();
}

/// The remaining steps of an image. They are applied to `codes`, which the steps before them made.
struct RemainingSteps {
  const std::int8_t* codes;
  StepRange steps;
};

/// Stores part `part` of `part_count` of image `i`, mixed with its partner if samples are mixed.
template <typename Value, bool kMixes, typename Filters>
__device__ inline void store_image(const GatherArgs& args, const BlockImage<kMixes>& image,
                                   const RemainingSteps* remaining, const Filters& filters, std::uint32_t i,
                                   unsigned part, unsigned part_count) {
  const std::int64_t count = args.batch.image.values();
  Value* const out = static_cast<Value*>(args.values) + static_cast<std::int64_t>(i) * count;
  const std::int64_t stride = static_cast<std::int64_t>(part_count) * blockDim.x;
  const OutputPixels pixels(args.batch.layout, args.batch.image);
  const auto value = [&](int of, std::int64_t at) {
    return gathered_value(drawn_stages(args, image.drawn[of], remaining[of].steps, filters), remaining[of].codes,
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

/// Writes the label of the sample of image `i`, if it is the first one of the sample.
__device__ inline void write_label(const GatherArgs& args, const MixedSample& mixed, std::uint32_t i) {
  const auto views = static_cast<std::uint32_t>(args.batch.views);
  if (args.out_labels == nullptr || i % views != 0) return;
  for (std::int64_t number = threadIdx.x; number < label_width(args); number += blockDim.x) {
    write_label_number(args, mixed, i / views, number);
  }
}

}  // namespace octavo::kernels::cuda
