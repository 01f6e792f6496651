// What the sections of the page show.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <octavo/content.hpp>
#include <octavo/dataset.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/report.hpp>
#include <octavo/report_page.hpp>

namespace octavo::report::page {

/// Of the images and masks of a split, as they are in memory.
inline std::int64_t memory_bytes(const Split& split) {
  return stays_compressed(split.compression()) ? split.stored_bytes() + split.stored_mask_bytes()
                                               : split.packed_bytes() + mask_bytes(split);
}

struct PageData {
  const Dataset& dataset;
  const MemoryReport& report;  ///< of a split of the dataset
  const ReportPageOptions& options;
  std::vector<std::string> split_names = {};
  std::vector<Split> splits = {};
  std::vector<SplitContent> contents = {};   ///< of each split
  std::vector<MaskCounts> mask_counts = {};  ///< of each split

  /// The split of the report.
  const Split& reported() const {
    return splits[static_cast<std::size_t>(std::ranges::find(split_names, report.split) - split_names.begin())];
  }

  /// Of the masks of all splits.
  std::int64_t all_mask_bytes() const {
    std::int64_t sum = 0;
    for (const Split& split : splits) sum += mask_bytes(split);
    return sum;
  }
  /// Of all splits, without masks.
  std::int64_t packed_bytes() const {
    std::int64_t sum = 0;
    for (const Split& split : splits) sum += split.packed_bytes();
    return sum;
  }
  std::int64_t memory_bytes() const {
    std::int64_t sum = 0;
    for (const Split& split : splits) sum += page::memory_bytes(split);
    return sum;
  }
};

}  // namespace octavo::report::page
