// Packed rows on a device: the codes of samples and their labels, or their masks.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// How the values of a row are stored. stages/load.hpp has a Rows policy for each.
enum class RowCoding : std::uint8_t {
  plain,  ///< one byte per value
  lp8,    ///< codecs/lp8_format.hpp
  lc8,    ///< codecs/lc8_format.hpp
};

/// Bytes after the last row that a decoder may read. They may have any value.
inline constexpr std::int64_t kRowGuardBytes = 1024;

/// N rows, all of row_stride_bytes or, if they are not plain, each of its own size. The first ones are resident. Those
/// from resident_count on are staged for this batch, in other memory. Borrowed pointers, in memory of the device that
/// gathers.
struct PackedRows {
  const std::int8_t* codes;         ///< rows, each with its values: codes [C,P], or a mask [P]
  const std::uint32_t* labels;      ///< [resident_count,label_words], or null
  std::int64_t resident_count;      ///< N if nothing is staged
  const std::int8_t* staged_codes;  ///< the rows from resident_count on, in the same layout; or null
  const std::uint32_t* staged_labels;
  std::int64_t row_stride_bytes;  ///< if rows are plain; otherwise their mean size
  std::int64_t label_words;       ///< K: 4-byte words per label
  RowCoding coding = RowCoding::plain;
  // If they are not plain:
  SampleShape shape = {};                         ///< of the values of a row
  const std::uint64_t* row_offsets = nullptr;     ///< [resident_count+1] where each begins in `codes`, divisible by 4
  const std::uint64_t* staged_offsets = nullptr;  ///< the same for staged rows in `staged_codes`
  const std::uint32_t* tables = nullptr;          ///< what decodes the rows, if their coding has tables
  std::uint32_t value_step = 1;                   ///< codecs/value_step.hpp
};

/// The samples of a batch.
struct PackedSamples {
  PackedRows rows;   ///< codes and labels
  PackedRows masks;  ///< uint8, without labels; not used if the samples have none
};

/// Where `row`, which must be in [0, N), is stored, if it is plain.
OCTAVO_HOST_DEVICE inline const std::int8_t* stored_row(const PackedRows& packed, std::int64_t row) {
  return row < packed.resident_count ? packed.codes + row * packed.row_stride_bytes
                                     : packed.staged_codes + (row - packed.resident_count) * packed.row_stride_bytes;
}

/// A row that is not plain.
struct CodedRow {
  const std::int8_t* bytes;
  std::int64_t size;
};

/// `row`, which must be in [0, N), if it is not plain.
OCTAVO_HOST_DEVICE inline CodedRow coded_row(const PackedRows& packed, std::int64_t row) {
  const bool is_resident = row < packed.resident_count;
  const std::uint64_t* const offsets =
      is_resident ? packed.row_offsets + row : packed.staged_offsets + (row - packed.resident_count);
  return {(is_resident ? packed.codes : packed.staged_codes) + offsets[0],
          static_cast<std::int64_t>(offsets[1] - offsets[0])};
}

/// Where the bytes of `row`, which must be in [0, N), begin, however they are stored.
OCTAVO_HOST_DEVICE inline const std::int8_t* stored_bytes(const PackedRows& packed, std::int64_t row) {
  return packed.coding == RowCoding::plain ? stored_row(packed, row) : coded_row(packed, row).bytes;
}

/// The label of `row`, which must be in [0, N). Requires labels.
OCTAVO_HOST_DEVICE inline const std::uint32_t* label_of(const PackedRows& packed, std::int64_t row) {
  return row < packed.resident_count ? packed.labels + row * packed.label_words
                                     : packed.staged_labels + (row - packed.resident_count) * packed.label_words;
}

}  // namespace octavo::kernels
