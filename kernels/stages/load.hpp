// Load: the first stage of a gather gives the values of a row: the codes of a sample, or the pixels of its mask.
//
// A Rows policy knows how rows are stored. It either has them in place, with
//   codes(row): the values of `row`,
// or decodes them, with
//   decode(row, part, tile, threads): writes the values of `row` that are in `part` of the image to their places in
//   `tile`, by all `threads` together.
// Fast kernels read rows in place directly; all other kernels call load_row().
#pragma once

#include <cstdint>

#include "kernels/codecs/lc8_rows.hpp"
#include "kernels/codecs/lp8_rows.hpp"
#include "kernels/codecs/value_step.hpp"
#include "kernels/host_device.hpp"
#include "kernels/image_part.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::kernels {

/// The policy of RowCoding::plain.
class PlainRows {
 public:
  static constexpr bool kInPlace = true;

  OCTAVO_HOST_DEVICE explicit PlainRows(const PackedRows& packed) : packed_(packed) {}

  OCTAVO_HOST_DEVICE const std::int8_t* codes(std::int64_t row) const { return stored_row(packed_, row); }

 private:
  const PackedRows& packed_;
};

OCTAVO_HOST_DEVICE constexpr bool is_in_place(RowCoding coding) { return coding == RowCoding::plain; }

/// Bytes of the memory in which a row of `values` values is decoded, a multiple of 16; 0 for rows in place.
OCTAVO_HOST_DEVICE inline std::int64_t decoded_bytes(RowCoding coding, std::int64_t values) {
  return is_in_place(coding) ? 0 : (values + 15) / 16 * 16;
}

/// The policy of every coding that is not in place. It chooses at run time, so that a kernel is compiled once for all.
class DecodedRows {
 public:
  static constexpr bool kInPlace = false;

  OCTAVO_HOST_DEVICE explicit DecodedRows(const PackedRows& packed) : packed_(packed) {}

  template <typename Threads>
  OCTAVO_HOST_DEVICE void decode(std::int64_t row, const ImagePart& part, std::int8_t* tile,
                                 const Threads& threads) const {
    switch (packed_.coding) {
      case RowCoding::plain:
        return;
      case RowCoding::lp8:
        Lp8Rows(packed_).decode(row, part, tile, threads);
        break;
      case RowCoding::lc8:
        Lc8Rows(packed_).decode(row, part, tile, threads);
        break;
    }
    if (packed_.value_step == 1) return;
    threads.wait();
    for (std::int64_t i = threads.index(); i < packed_.shape.values(); i += threads.count()) {
      tile[i] = multiply_code(tile[i], packed_.value_step);
    }
  }

 private:
  const PackedRows& packed_;
};

/// The values of `row`, in place or in `tile`, after which `threads` have waited for each other. All of them call this.
/// Values that are not in `part` of the image are unspecified.
template <typename Rows, typename Threads>
OCTAVO_HOST_DEVICE inline const std::int8_t* load_row(const Rows& rows, std::int64_t row, const ImagePart& part,
                                                      std::int8_t* tile, const Threads& threads) {
  if constexpr (Rows::kInPlace) {
    return rows.codes(row);
  } else {
    rows.decode(row, part, tile, threads);
    threads.wait();
    return tile;
  }
}

}  // namespace octavo::kernels
