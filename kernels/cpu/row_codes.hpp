// The load stage on the CPU: one thread reads rows one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/decode_lc8.hpp"
#include "kernels/cpu/decode_lp8.hpp"
#include "kernels/cpu/multiply_codes.hpp"
#include "kernels/cpu/scratch_parts.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cpu {

/// Gives the values of rows. Decodes rows that are not in place, into scratch memory.
class RowCodes {
 public:
  /// A row has `values` values.
  RowCodes(const PackedRows& packed, std::int64_t values, ScratchParts& parts)
      : packed_(packed),
        values_(values),
        most_rows_(packed.coding == RowCoding::lc8 ? std::clamp<std::int64_t>(kTileBytes / values, 1, kMostLc8Rows)
                                                   : 1),
        tile_bytes_((values + kDecodedRowMargin + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment),
        tiles_(is_in_place(packed.coding) ? nullptr : parts.take<std::int8_t>(most_rows_ * tile_bytes_)) {}

  /// Rows that are decoded faster together than one by one.
  std::int64_t most_rows() const { return most_rows_; }

  /// The values of a row. Valid until the next call.
  const std::int8_t* of(std::int64_t row) const {
    decode(&row, 1);
    return is_in_place(packed_.coding) ? stored_row(packed_, row) : tiles_;
  }
  /// Decodes at most most_rows() rows.
  void decode(const std::int64_t* rows, std::int64_t count) const {
    switch (packed_.coding) {
      case RowCoding::plain:
        return;
      case RowCoding::lp8:
        for (std::int64_t i = 0; i < count; ++i) decode_lp8(packed_, rows[i], tiles_ + i * tile_bytes_);
        break;
      case RowCoding::lc8:
        decode_lc8(packed_, rows, count, tiles_, tile_bytes_);
        break;
    }
    if (packed_.value_step == 1) return;
    for (std::int64_t i = 0; i < count; ++i) multiply_codes(tiles_ + i * tile_bytes_, values_, packed_.value_step);
  }
  /// The values of row `number` of the last decode().
  const std::int8_t* decoded(std::int64_t number) const { return tiles_ + number * tile_bytes_; }

 private:
  /// Tiles of small images that stay in the cache.
  static constexpr std::int64_t kTileBytes = 64 << 10;

  const PackedRows& packed_;
  std::int64_t values_, most_rows_, tile_bytes_;
  std::int8_t* tiles_;
};

}  // namespace octavo::kernels::cpu
