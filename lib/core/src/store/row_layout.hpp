// The sizes of packed samples in memory. All who allocate, copy or plan memory for samples ask here.
#pragma once

#include <algorithm>
#include <cstdint>

#include <octavo/sample.hpp>

#include "format/codec.hpp"
#include "format/row_offsets.hpp"
#include "kernels/packed_rows.hpp"
#include "store/resident_set.hpp"

namespace octavo::store {

/// Of the offsets of `count` rows on the device.
inline std::int64_t offset_bytes(const dataset_file::RowOffsets& rows, std::int64_t count) {
  return rows.have_one_size() ? 0 : (count + 1) * static_cast<std::int64_t>(sizeof(std::uint64_t));
}

/// Of the tables that decode rows.
inline std::int64_t table_bytes(const dataset_file::RowOffsets& rows) {
  return rows.tables() ? static_cast<std::int64_t>(rows.tables()->entries.size() * sizeof(std::uint32_t)) : 0;
}

/// Bytes on the device of the rows of `range`, with all that decodes them.
inline std::int64_t resident_bytes(const dataset_file::RowOffsets& rows, const RowRange& range) {
  const std::int64_t guard = rows.have_one_size() ? 0 : kernels::kRowGuardBytes;
  return rows.bytes(range.first, range.count) + guard + offset_bytes(rows, range.count) + table_bytes(rows);
}
inline std::int64_t resident_bytes(const dataset_file::RowOffsets& rows, std::int64_t count) {
  return resident_bytes(rows, RowRange{0, count});
}

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
