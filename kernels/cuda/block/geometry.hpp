// Divides the work of a batch among thread blocks and warps. Pure functions, the same on every machine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/divider.hpp"

namespace octavo::kernels::cuda {

/// Device properties that launchers use.
struct DeviceTraits {
  int multiprocessor_count;
  std::int64_t l2_bytes;  ///< size of the L2 cache
};

inline constexpr unsigned kWarpThreads = 32;
/// 4 blocks of 8 warps at 64 registers fill the 65,536 registers of a multiprocessor.
inline constexpr unsigned kMostWarps = 8;
inline constexpr unsigned kMostThreads = kMostWarps * kWarpThreads;
inline constexpr int kLeastTileBlocks = 4;
/// Independent loads of a lane before its first store.
inline constexpr int kUnroll = 4;
/// Samples per block: its threads compute their rows in parallel, one each, and a warp keeps the maps of a tile for all
/// of them.
inline constexpr std::int64_t kMostSamples = 8;
/// Warps per multiprocessor that hide the memory latency. While a warp computes a step, the loads of the next step are
/// in flight: at least 4 loads x 32 lanes x 4 bytes = 512 bytes. At 4.3 TB/s and 0.7 us, an H200 needs on each of its
/// 132 multiprocessors 4.6 KB of codes in flight for float32 (a fifth of 22.8 KB) and 7.6 KB for half types (a third).
/// 24 warps have 12 KB in flight, half as much again, and fit with 64 registers.
inline constexpr std::int64_t kFullWarps = 24;
/// Steps per warp: enough that computing rows (about 300 issue slots, on one of 8 warps, against 8 x 16 steps of 100)
/// costs less than 3 %, and few enough that the last blocks of a grid (16 steps at 0.7 us) do not run alone for long.
inline constexpr std::int64_t kMostSteps = 16;
/// The largest grid in y.
inline constexpr std::int64_t kMostSplits = 65535;

/// Blocks along x process groups of samples; blocks along y process parts of each sample.
struct BatchGeometry {
  unsigned block_threads;  ///< whole warps
  unsigned groups;         ///< in x: ceil(B / samples_per_block)
  unsigned splits;         ///< in y: ceil(tiles_per_sample / tiles_per_split)
  int samples_per_block;
  std::uint32_t tiles_per_sample;  ///< a tile is the work of a warp in one step
  std::uint32_t tiles_per_split;   ///< consecutive; the warps of a block take turns
};

/// Computes the geometry for `tiles_per_sample` >= 1 tiles in each of `batch_count` >= 1 samples, both below 2^31, and
/// blocks of up to `most_warps`.
///
/// A step is one tile of one sample. Each warp does 1 to kMostSteps steps, and within these limits as many as still
/// leave `full_warps` warps for every multiprocessor, so there are no more splits than fill the device. Additional
/// steps go to other samples first, then to other tiles. Examples for 132 multiprocessors: 4,096 samples of 2 tiles are
/// 8,192 steps, 2 for each of 3,168 warps: 2,048 blocks of 2 warps process 2 samples each. 256 samples of 294 tiles are
/// 75,264 steps, 16 per warp: 32 groups of 8 samples times 19 splits of 16 tiles, 608 blocks of 8 warps. One sample of
/// 294 tiles: 147 blocks of 2 warps.
inline BatchGeometry batch_geometry(std::int64_t batch_count, std::int64_t tiles_per_sample, const DeviceTraits& device,
                                    unsigned most_warps = kMostWarps, std::int64_t full_warps = kFullWarps) {
  const std::int64_t multiprocessors = std::max(1, device.multiprocessor_count);
  const std::int64_t steps = batch_count * tiles_per_sample;
  const std::int64_t steps_per_warp = std::clamp<std::int64_t>(steps / (full_warps * multiprocessors), 1, kMostSteps);
  const std::int64_t samples = std::min({steps_per_warp, kMostSamples, batch_count});
  // Every multiprocessor gets part of a small batch.
  const std::int64_t warps =
      std::clamp<std::int64_t>(std::min(tiles_per_sample, steps / multiprocessors), 1, most_warps);
  const std::int64_t tiles_per_split = std::max(std::min(warps * (steps_per_warp / samples), tiles_per_sample),
                                                quotient_up(tiles_per_sample, kMostSplits));
  return {static_cast<unsigned>(warps) * kWarpThreads,
          static_cast<unsigned>(quotient_up(batch_count, samples)),
          static_cast<unsigned>(quotient_up(tiles_per_sample, tiles_per_split)),
          static_cast<int>(samples),
          static_cast<std::uint32_t>(tiles_per_sample),
          static_cast<std::uint32_t>(tiles_per_split)};
}

}  // namespace octavo::kernels::cuda
