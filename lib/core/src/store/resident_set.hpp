// Which samples of a split are on the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace octavo::store {

/// Samples [first, first + count) of a split.
struct RowRange {
  std::int64_t first, count;
};

/// The samples of ascending ranges. The memory of the device has them in slots 0, 1, ..., in order.
class ResidentSet {
 public:
  ResidentSet() = default;
  /// The ranges do not overlap.
  explicit ResidentSet(std::vector<RowRange> ranges) : ranges_(std::move(ranges)) {
    std::erase_if(ranges_, [](const RowRange& range) { return range.count == 0; });
    for (const RowRange& range : ranges_) {
      slots_.push_back(count_);
      count_ += range.count;
    }
  }

  std::int64_t count() const { return count_; }
  std::span<const RowRange> ranges() const { return ranges_; }
  /// The slot of a sample; nothing if it is not on the device.
  std::optional<std::int64_t> slot_of(std::int64_t row) const {
    const auto after = std::ranges::upper_bound(ranges_, row, {}, &RowRange::first);
    if (after == ranges_.begin()) return std::nullopt;
    const auto at = static_cast<std::size_t>(after - ranges_.begin()) - 1;
    const std::int64_t offset = row - ranges_[at].first;
    return offset < ranges_[at].count ? std::optional(slots_[at] + offset) : std::nullopt;
  }

 private:
  std::vector<RowRange> ranges_;
  std::vector<std::int64_t> slots_;  ///< of the first sample of each range
  std::int64_t count_ = 0;
};

}  // namespace octavo::store
