// Packed rows on a device: the codes of samples and their labels, or their masks.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// How the values of a row are stored. stages/load.hpp has a Rows policy for each. All rows have row_stride_bytes.
enum class RowCoding : std::uint8_t {
  plain,  ///< one byte per value
};

/// N rows. The first ones are resident. Those from resident_count on are staged for this batch, in other memory.
/// Borrowed pointers, in memory of the device that gathers.
struct PackedRows {
  const std::int8_t* codes;         ///< rows of row_stride_bytes, each with its values: codes [C,P], or a mask [P]
  const std::uint32_t* labels;      ///< [resident_count,label_words], or null
  std::int64_t resident_count;      ///< N if nothing is staged
  const std::int8_t* staged_codes;  ///< the rows from resident_count on, in the same layout; or null
  const std::uint32_t* staged_labels;
  std::int64_t row_stride_bytes;
  std::int64_t label_words;  ///< K: 4-byte words per label
  RowCoding coding = RowCoding::plain;
};

/// The samples of a batch.
struct PackedSamples {
  PackedRows rows;   ///< codes and labels
  PackedRows masks;  ///< uint8, without labels; not used if the samples have none
};

/// Where `row`, which must be in [0, N), is stored.
OCTAVO_HOST_DEVICE inline const std::int8_t* stored_row(const PackedRows& packed, std::int64_t row) {
  return row < packed.resident_count ? packed.codes + row * packed.row_stride_bytes
                                     : packed.staged_codes + (row - packed.resident_count) * packed.row_stride_bytes;
}

/// The label of `row`, which must be in [0, N). Requires labels.
OCTAVO_HOST_DEVICE inline const std::uint32_t* label_of(const PackedRows& packed, std::int64_t row) {
  return row < packed.resident_count ? packed.labels + row * packed.label_words
                                     : packed.staged_labels + (row - packed.resident_count) * packed.label_words;
}

}  // namespace octavo::kernels
