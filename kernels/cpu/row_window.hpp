// The rows of part of a batch, computed a block at a time and slightly ahead, so that they can be prefetched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/permute.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels::cpu {

/// Walks positions first, first + 1, ... last - 1 of a batch, and knows the rows of up to kLookAhead positions ahead.
class RowWindow {
 public:
  static constexpr std::int64_t kLookAhead = 16;

  RowWindow(const RowSelection& selection, std::int64_t first, std::int64_t last)
      : selection_(selection), start_(first), known_(first), last_(last) {}

  /// The row at position `b`. After a call for position p, positions below p - kLookAhead are no longer available.
  std::int64_t row(std::int64_t b) {
    if (b >= known_) refill(b);
    return rows_[b - start_];
  }
  /// The sample at position `b`; the same limit.
  SelectedSample sample(std::int64_t b) {
    const std::int64_t found = row(b);
    if (selection_.rows != nullptr) return sample_at(selection_, b);
    return {found, found, selection_.cursor != nullptr ? range_at(*selection_.cursor, b).epoch : selection_.epoch};
  }

 private:
  static constexpr std::int64_t kBlock = 64;

  void refill(std::int64_t b) {
    const std::int64_t keep_from = std::max(start_, b - kLookAhead);
    const std::int64_t kept = known_ - keep_from;
    std::memmove(rows_, rows_ + (keep_from - start_), static_cast<std::size_t>(kept) * sizeof rows_[0]);
    start_ = keep_from;
    const std::int64_t count = std::min(kBlock, last_ - known_);
    if (selection_.rows != nullptr) {
      std::copy_n(selection_.rows + known_, count, rows_ + kept);
    } else if (selection_.cursor != nullptr) {
      find_by_cursor(count, rows_ + kept);
    } else {
      permute_range(selection_.order, selection_.first_position + known_, count, rows_ + kept);
    }
    known_ += count;
  }

  /// Computes the rows of `count` positions from known_ on.
  void find_by_cursor(std::int64_t count, std::int64_t* out) const {
    for (std::int64_t done = 0; done < count;) {
      const OrderRange range = range_at(*selection_.cursor, known_ + done);
      const std::int64_t part = std::min(count - done, range.count);
      permute_range(*range.key, range.position, part, out + done);
      done += part;
    }
  }

  const RowSelection& selection_;
  std::int64_t start_;  ///< position of rows_[0]
  std::int64_t known_;  ///< end of the positions in rows_
  std::int64_t last_;
  std::int64_t rows_[kBlock + kLookAhead] = {};
};

}  // namespace octavo::kernels::cpu
