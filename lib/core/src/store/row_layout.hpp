// The sizes of packed samples in memory. All who allocate, copy or plan memory for samples ask here.
#pragma once

#include <algorithm>
#include <cstdint>

#include <octavo/sample.hpp>

namespace octavo::store {

/// A sample is a row of codes, a mask and a label. Each kind is in a block of its own, without gaps between samples.
/// Rows may differ in size: dataset_file::RowOffsets has their sizes.
struct RowLayout {
  RowLayout() = default;
  RowLayout(const SampleShape& shape, const LabelLayout& labels, bool has_masks)
      : mask_bytes(has_masks ? shape.values_per_channel() : 0), label_bytes(labels.bytes_per_sample()) {}

  std::int64_t mask_bytes = 0, label_bytes = 0;

  /// Of `count` samples.
  std::int64_t masks(std::int64_t count) const { return count * mask_bytes; }
  std::int64_t labels(std::int64_t count) const { return count * label_bytes; }

  /// In a block of `count` rows of `row_bytes` together, then their masks, then their labels, then something else:
  /// where these begin. Aligned for any type.
  std::int64_t masks_offset(std::int64_t row_bytes) const { return aligned(row_bytes); }
  std::int64_t labels_offset(std::int64_t row_bytes, std::int64_t count) const {
    return masks_offset(row_bytes) + aligned(masks(count));
  }
  std::int64_t end_offset(std::int64_t row_bytes, std::int64_t count) const {
    return labels_offset(row_bytes, count) + aligned(labels(count));
  }

 private:
  static constexpr std::int64_t kAlignment = 16;
  static std::int64_t aligned(std::int64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }
};

}  // namespace octavo::store
