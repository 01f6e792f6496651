// The steps of a warp through its block's tiles and samples. The loads of each step are issued before the stores of the
// previous step.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/block/geometry.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels::cuda {

/// A tile of a sample.
struct TileStep {
  std::uint32_t tile;
  int sample;  ///< index in the block; 0 is the first step of a tile
};

/// Describes a block's part of the work.
struct WorkShare {
  std::uint32_t tiles_per_sample;
  std::uint32_t tiles_per_split;
  int samples_per_block;
};
inline WorkShare work_share(const BatchGeometry& geometry) {
  return {geometry.tiles_per_sample, geometry.tiles_per_split, geometry.samples_per_block};
}

/// The warps of a block take turns at the tiles of split blockIdx.y. For each tile, a warp processes all samples.
class TileWalk {
 public:
  __device__ TileWalk(const WorkShare& share, int sample_count)
      : step_{blockIdx.y * share.tiles_per_split + threadIdx.x / kWarpThreads, 0},
        warp_count_(blockDim.x / kWarpThreads),
        sample_count_(sample_count) {
    const std::uint32_t end = (blockIdx.y + 1) * share.tiles_per_split;
    end_tile_ = end < share.tiles_per_sample ? end : share.tiles_per_sample;
  }
  __device__ bool at_end() const { return step_.tile >= end_tile_; }
  __device__ TileStep step() const { return step_; }
  __device__ void advance() {
    if (++step_.sample < sample_count_) return;
    step_.sample = 0;
    step_.tile += warp_count_;
  }

 private:
  TileStep step_;
  std::uint32_t end_tile_;
  std::uint32_t warp_count_;
  int sample_count_;
};

/// The words that a lane loads in a step.
template <int kCount>
struct LoadedWords {
  std::uint32_t words[kCount];

  /// Returns the words with the signs of all codes flipped. Waits for the loads.
  __device__ LoadedWords flipped() const {
    LoadedWords result;
#pragma unroll
    for (int i = 0; i < kCount; ++i) result.words[i] = flip_signs(words[i]);
    return result;
  }
};

/// For every step of the warp, in order: loaded = load(step, true), then store(step, loaded.flipped()). Calls
/// begin_tile(tile) before the first step of a tile is stored, and meanwhile() after the loads of the first step, if
/// any, have been issued.
///
/// A warp waits for loads on one of six scoreboards, each of which signals that all loads that share it have arrived.
/// So each iteration first waits for its codes, by moving them out of the registers they were loaded to. Then it issues
/// the loads of the next iteration and waits for no other load. For the same reason, begin_tile() must wait for its own
/// loads.
template <typename Load, typename Meanwhile, typename BeginTile, typename Store>
__device__ inline void run_steps(TileWalk walk, const Load& load, const Meanwhile& meanwhile,
                                 const BeginTile& begin_tile, const Store& store) {
  if (walk.at_end()) return meanwhile();
  auto next = load(walk.step(), true);
  meanwhile();
  begin_tile(walk.step().tile);
  for (bool is_last = false; !is_last;) {
    const TileStep step = walk.step();
    walk.advance();
    is_last = walk.at_end();
    const auto loaded = next.flipped();
    next = load(walk.step(), !is_last);
    store(step, loaded);
    if (!is_last && walk.step().sample == 0) begin_tile(walk.step().tile);
  }
}

}  // namespace octavo::kernels::cuda
