// Which samples of a split each rank holds, with the residency `sharded`.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/epoch_batches.hpp"
#include "store/resident_set.hpp"

namespace octavo::store {

/// Rank r of R holds samples [floor(rN/R), floor((r+1)N/R)).
struct RankRows {
  std::int64_t sample_count;  ///< N
  std::int64_t world_size;    ///< R

  RowRange of(std::int64_t rank) const {
    const kernels::BatchShare share = kernels::batch_share(sample_count, rank, world_size);
    return {share.first, share.count()};
  }
  std::int64_t largest_count() const { return (sample_count + world_size - 1) / world_size; }
};

}  // namespace octavo::store
