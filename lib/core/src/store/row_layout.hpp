// The sizes of packed samples in memory. All who allocate, copy or plan memory for samples ask here.
#pragma once

#include <algorithm>
#include <cstdint>

#include <octavo/sample.hpp>

namespace octavo::store {

/// A sample is a row of codes, a mask and a label. Each kind is in a block of its own, without gaps between samples.
/// Rows and masks may differ in size: dataset_file::RowOffsets has their sizes.
struct RowLayout {
  RowLayout() = default;
  explicit RowLayout(const LabelLayout& labels) : label_bytes(labels.bytes_per_sample()) {}

  std::int64_t label_bytes = 0;

  /// Of `count` samples.
  std::int64_t labels(std::int64_t count) const { return count * label_bytes; }

  /// In a block of the rows of `count` samples, then their masks, then their labels, then something else, of
  /// `row_bytes` and `mask_bytes` together: where these begin. Aligned for any type.
  static std::int64_t masks_offset(std::int64_t row_bytes) { return aligned(row_bytes); }
  static std::int64_t labels_offset(std::int64_t row_bytes, std::int64_t mask_bytes) {
    return aligned(row_bytes) + aligned(mask_bytes);
  }
  std::int64_t end_offset(std::int64_t row_bytes, std::int64_t mask_bytes, std::int64_t count) const {
    return labels_offset(row_bytes, mask_bytes) + aligned(labels(count));
  }

 private:
  static constexpr std::int64_t kAlignment = 16;
  static std::int64_t aligned(std::int64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }
};

}  // namespace octavo::store
