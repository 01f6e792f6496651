// How the positions of an epoch are divided into batches (docs/numerics.md, "Batches").
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// What becomes of the positions at the end of an epoch that do not fill a batch.
enum class LastBatch : std::int32_t {
  keep,   ///< they are a short batch
  drop,   ///< no batch shows them
  carry,  ///< they begin the first batch of the next epoch
};

/// The batches of every epoch.
struct EpochBatches {
  std::int64_t position_count;  ///< N, of an epoch
  std::int64_t batch_size;      ///< B; with LastBatch::carry, at most N, and below 2^31
  LastBatch last;

  /// Positions of earlier epochs that the first batch of `epoch` begins with.
  OCTAVO_HOST_DEVICE std::int64_t carried_into(std::int64_t epoch) const {
    if (last != LastBatch::carry) return 0;
    return epoch % batch_size * (position_count % batch_size) % batch_size;
  }
  /// Batches of `epoch`; with LastBatch::carry, those that end in it.
  OCTAVO_HOST_DEVICE std::int64_t count(std::int64_t epoch) const {
    const std::int64_t positions = carried_into(epoch) + position_count;
    return (last == LastBatch::keep ? positions + batch_size - 1 : positions) / batch_size;
  }
  /// The position of `epoch` at which a batch begins. Negative positions are the last ones of the epoch before.
  OCTAVO_HOST_DEVICE std::int64_t first_position(std::int64_t epoch, std::int64_t step) const {
    return step * batch_size - carried_into(epoch);
  }
};

/// The share of `rank` of `world_size` in a batch: positions [first, end).
struct BatchShare {
  std::int64_t first, end;

  OCTAVO_HOST_DEVICE std::int64_t count() const { return end - first; }
};
OCTAVO_HOST_DEVICE inline BatchShare batch_share(std::int64_t batch_size, std::int64_t rank, std::int64_t world_size) {
  return {rank * batch_size / world_size, (rank + 1) * batch_size / world_size};
}

}  // namespace octavo::kernels
