// Which samples of a split each rank holds, with the residency `sharded`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/epoch_batches.hpp"
#include "store/resident_set.hpp"

namespace octavo::store {

/// Ranks [first, last].
struct RankRange {
  std::int64_t first, last;
};

/// For each rank, the ranks that share its memory: those with an equal hash, if these are consecutive, else itself.
inline std::vector<RankRange> memory_shared_by(std::span<const std::int64_t> hashes) {
  std::vector<RankRange> ranges;
  for (std::int64_t rank = 0; rank < std::ssize(hashes); ++rank) {
    const std::int64_t hash = hashes[static_cast<std::size_t>(rank)];
    const std::int64_t first = std::ranges::find(hashes, hash) - hashes.begin();
    const std::int64_t count = std::ranges::count(hashes, hash);
    const auto run = std::span(hashes).subspan(static_cast<std::size_t>(first));
    const bool are_consecutive =
        count <= std::ssize(run) && std::ranges::count(run.first(static_cast<std::size_t>(count)), hash) == count;
    ranges.push_back(are_consecutive ? RankRange{first, first + count - 1} : RankRange{rank, rank});
  }
  return ranges;
}

/// Rank r of R loads samples [floor(rN/R), floor((r+1)N/R)). It has at hand those of all ranks that share its memory.
class RankRows {
 public:
  RankRows() = default;
  RankRows(std::int64_t sample_count, std::vector<RankRange> sharing)
      : sample_count_(sample_count), sharing_(std::move(sharing)) {}

  std::int64_t world_size() const { return std::ssize(sharing_); }
  RowRange loaded_by(std::int64_t rank) const {
    const kernels::BatchShare share = kernels::batch_share(sample_count_, rank, world_size());
    return {share.first, share.count()};
  }
  RowRange at_hand(std::int64_t rank) const {
    const RankRange& sharing = sharing_[static_cast<std::size_t>(rank)];
    const RowRange first = loaded_by(sharing.first), last = loaded_by(sharing.last);
    return {first.first, last.first + last.count - first.first};
  }
  const RankRange& sharing(std::int64_t rank) const { return sharing_[static_cast<std::size_t>(rank)]; }

 private:
  std::int64_t sample_count_ = 0;
  std::vector<RankRange> sharing_;  ///< by rank
};

/// Whether `row` is in the range.
inline bool contains(const RowRange& range, std::int64_t row) {
  return row >= range.first && row < range.first + range.count;
}

}  // namespace octavo::store
