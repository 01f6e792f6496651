// How the work of a batch is divided among thread blocks: pure functions, the same on every machine.
#pragma once

#include <algorithm>
#include <cstdint>

namespace octavo::kernels::cuda {

// Tuning constants. They follow from arithmetic (bytes in flight, occupancy), not yet from a measurement.

/// Independent loads of a thread before the first use: 2048 threads x 4 x 4 bytes keep 32 KiB in flight on a
/// multiprocessor, several times what the loads of this kernel, a fifth of its traffic, need to hide the memory.
inline constexpr int kUnroll = 4;
inline constexpr unsigned kSmallestBlock = 32;
inline constexpr unsigned kLargestBlock = 256;
/// Samples that a block serves one after another: it finds their rows together, and keeps its part of a mean image in
/// registers meanwhile.
inline constexpr std::int64_t kMostSamplesPerBlock = 8;
/// Blocks per multiprocessor below which samples are not grouped, so that small batches fill the device.
inline constexpr std::int64_t kBlocksToFillMultiprocessor = 16;
/// The largest grid in y.
inline constexpr std::int64_t kMostTiles = 65535;

/// Blocks in x serve groups of samples, in y tiles of a run of units, in z runs (channels).
struct BatchGeometry {
  unsigned block_threads;
  unsigned groups;  ///< in x: ceil(B / samples_per_block)
  unsigned tiles;   ///< in y; a block walks on by this many tiles if the grid has not room for all
  unsigned runs;    ///< in z
  int samples_per_block;
};

/// Work of `run_count` runs of `units_per_run` units in each of `batch_count` >= 1 samples, where a unit is what a
/// thread stores at once. B up to 2^31 - 1.
inline BatchGeometry batch_geometry(std::int64_t batch_count, std::int64_t run_count, std::int64_t units_per_run,
                                    int multiprocessor_count) {
  const std::int64_t wanted_threads = (units_per_run + kUnroll - 1) / kUnroll;
  const auto threads =
      static_cast<unsigned>(std::clamp<std::int64_t>((wanted_threads + 31) / 32 * 32, kSmallestBlock, kLargestBlock));
  const std::int64_t units_per_tile = static_cast<std::int64_t>(threads) * kUnroll;
  const std::int64_t tiles =
      std::clamp<std::int64_t>((units_per_run + units_per_tile - 1) / units_per_tile, 1, kMostTiles);
  const std::int64_t blocks_to_fill = kBlocksToFillMultiprocessor * multiprocessor_count;
  const std::int64_t samples_per_block =
      std::clamp<std::int64_t>(batch_count * run_count * tiles / blocks_to_fill, 1, kMostSamplesPerBlock);
  return {threads, static_cast<unsigned>((batch_count + samples_per_block - 1) / samples_per_block),
          static_cast<unsigned>(tiles), static_cast<unsigned>(run_count), static_cast<int>(samples_per_block)};
}

}  // namespace octavo::kernels::cuda
