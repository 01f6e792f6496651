// The load stage on the CPU: one thread reads rows one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/decode_lc8.hpp"
#include "kernels/cpu/decode_lp8.hpp"
#include "kernels/cpu/multiply_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"
#include "kernels/image_part.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cpu {

/// Gives the values of rows. Decodes rows that are not in place, into scratch memory.
class RowCodes {
 public:
  /// A row has `values` values.
  RowCodes(const PackedRows& packed, std::int64_t values, ScratchParts& parts)
      : packed_(packed),
        most_rows_(packed.coding == RowCoding::lc8 ? std::clamp<std::int64_t>(kTileBytes / values, 1, kMostLc8Rows)
                                                   : 1),
        tile_bytes_((values + kDecodedRowMargin + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment),
        tiles_(is_in_place(packed.coding) ? nullptr : parts.take<std::int8_t>(most_rows_ * tile_bytes_)) {}

  /// Rows that are decoded faster together than one by one.
  std::int64_t most_rows() const { return most_rows_; }

  /// The values of a row. Valid until the next call.
  const std::int8_t* of(std::int64_t row) const { return of(row, whole_image(packed_.shape)); }
  /// The same, but those that `part` of the image does not touch are unspecified.
  const std::int8_t* of(std::int64_t row, const ImagePart& part) const {
    decode(&row, 1, part);
    return is_in_place(packed_.coding) ? stored_row(packed_, row) : tiles_;
  }
  /// Decodes at most most_rows() rows.
  void decode(const std::int64_t* rows, std::int64_t count) const { decode(rows, count, whole_image(packed_.shape)); }
  /// The values of row `number` of the last decode().
  const std::int8_t* decoded(std::int64_t number) const { return tiles_ + number * tile_bytes_; }

 private:
  void decode(const std::int64_t* rows, std::int64_t count, const ImagePart& part) const {
    switch (packed_.coding) {
      case RowCoding::plain:
        return;
      case RowCoding::lp8:
        for (std::int64_t i = 0; i < count; ++i) decode_lp8(packed_, rows[i], part, tiles_ + i * tile_bytes_);
        break;
      case RowCoding::lc8:
        decode_lc8(packed_, rows, count, part, tiles_, tile_bytes_);
        break;
    }
    if (packed_.value_step == 1) return;
    const SampleShape& shape = packed_.shape;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int8_t* const first = tiles_ + i * tile_bytes_ + part.rows.first * shape.width;
      for (std::int64_t c = 0; c < shape.channels; ++c) {
        multiply_codes(first + c * shape.values_per_channel(), part.rows.count() * shape.width, packed_.value_step);
      }
    }
  }

  /// Tiles of small images that stay in the cache.
  static constexpr std::int64_t kTileBytes = 64 << 10;

  const PackedRows& packed_;
  std::int64_t most_rows_, tile_bytes_;
  std::int8_t* tiles_;
};

}  // namespace octavo::kernels::cpu
