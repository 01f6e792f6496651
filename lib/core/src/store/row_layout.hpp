// The sizes of packed samples in memory. All who allocate, copy or plan memory for samples ask here.
#pragma once

#include <algorithm>
#include <cstdint>

#include <octavo/sample.hpp>

#include "kernels/packed_rows.hpp"

namespace octavo::store {

/// A sample is a row of codes, a mask and a label. Each kind is in a block of its own, without gaps between samples.
struct RowLayout {
  RowLayout() = default;
  RowLayout(const SampleShape& shape, const LabelLayout& labels, bool has_masks,
            kernels::RowCoding row_coding = kernels::RowCoding::plain)
      : coding(row_coding),
        row_bytes(shape.values()),
        mask_bytes(has_masks ? shape.values_per_channel() : 0),
        label_bytes(labels.bytes_per_sample()) {}

  kernels::RowCoding coding = kernels::RowCoding::plain;  ///< of rows; masks are plain
  std::int64_t row_bytes = 0, mask_bytes = 0, label_bytes = 0;

  std::int64_t sample_bytes() const { return row_bytes + mask_bytes + label_bytes; }

  /// Of `count` samples.
  std::int64_t rows(std::int64_t count) const { return count * row_bytes; }
  std::int64_t masks(std::int64_t count) const { return count * mask_bytes; }
  std::int64_t labels(std::int64_t count) const { return count * label_bytes; }

  /// In a block of `count` rows, then their masks, then their labels, then something else: where these begin. Aligned
  /// for any type.
  std::int64_t masks_offset(std::int64_t count) const { return aligned(rows(count)); }
  std::int64_t labels_offset(std::int64_t count) const { return masks_offset(count) + aligned(masks(count)); }
  std::int64_t end_offset(std::int64_t count) const { return labels_offset(count) + aligned(labels(count)); }
  /// The number of samples that fit in a block of `bytes`; at least one.
  std::int64_t samples_in(std::int64_t bytes) const {
    constexpr std::int64_t kMostGaps = 3 * (kAlignment - 1);
    return std::max<std::int64_t>(1, (bytes - kMostGaps) / std::max<std::int64_t>(1, sample_bytes()));
  }

 private:
  static constexpr std::int64_t kAlignment = 16;
  static std::int64_t aligned(std::int64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }
};

}  // namespace octavo::store
