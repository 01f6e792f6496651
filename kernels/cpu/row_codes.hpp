// The load stage on the CPU: one thread reads rows one after the other.
#pragma once

#include <cstdint>

#include "kernels/cpu/decode_lc8.hpp"
#include "kernels/cpu/decode_lp8.hpp"
#include "kernels/cpu/scratch_parts.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cpu {

/// Gives the values of one row at a time. Decodes rows that are not in place, into scratch memory.
class RowCodes {
 public:
  /// A row has `values` values.
  RowCodes(const PackedRows& packed, std::int64_t values, ScratchParts& parts)
      : packed_(packed),
        tile_(is_in_place(packed.coding) ? nullptr : parts.take<std::int8_t>(values + kDecodedRowMargin)) {}

  /// Valid until the next call.
  const std::int8_t* of(std::int64_t row) const {
    switch (packed_.coding) {
      case RowCoding::plain:
        return stored_row(packed_, row);
      case RowCoding::lp8:
        decode_lp8(packed_, row, tile_);
        break;
      case RowCoding::lc8:
        decode_lc8(packed_, row, tile_);
        break;
    }
    return tile_;
  }

 private:
  const PackedRows& packed_;
  std::int8_t* tile_;
};

}  // namespace octavo::kernels::cpu
