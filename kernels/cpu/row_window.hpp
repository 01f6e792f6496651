// The rows of a stretch of a batch, found a block at a time and a little ahead, so that they can be prefetched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/row_selection.hpp"
#include "kernels/cpu/permute.hpp"

namespace octavo::kernels::cpu {

/// Walks places first, first + 1, ... last - 1 of a batch; knows the rows of up to kLookAhead places further on.
class RowWindow {
 public:
  static constexpr std::int64_t kLookAhead = 16;

  RowWindow(const RowSelection& selection, std::int64_t first, std::int64_t last)
      : selection_(selection), start_(first), known_(first), last_(last) {}

  /// The row at place `b`. A place may be asked for until one more than kLookAhead further on has been.
  std::int64_t row(std::int64_t b) {
    if (b >= known_) refill(b);
    return rows_[b - start_];
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

  /// The rows of `count` places from known_ on.
  void find_by_cursor(std::int64_t count, std::int64_t* out) const {
    for (std::int64_t done = 0; done < count;) {
      const OrderRange stretch = range_at(*selection_.cursor, known_ + done);
      const std::int64_t part = std::min(count - done, stretch.count);
      permute_range(*stretch.key, stretch.position, part, out + done);
      done += part;
    }
  }

  const RowSelection& selection_;
  std::int64_t start_;  ///< place of rows_[0]
  std::int64_t known_;  ///< places below it are in rows_
  std::int64_t last_;
  std::int64_t rows_[kBlock + kLookAhead] = {};
};

}  // namespace octavo::kernels::cpu
