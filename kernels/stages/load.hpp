// Load: the first stage of a gather gives the values of a row: the codes of a sample, or the pixels of its mask.
//
// A Rows policy knows how rows are stored. It either has them in place, with
//   codes(row): the values of `row`,
// or decodes them, with
//   decode(row, tile, threads): writes the values of `row` to `tile`, by all `threads` together.
// Fast kernels read rows in place directly; all other kernels call load_row().
#pragma once

#include <cstdint>

#include "kernels/codecs/lc8_rows.hpp"
#include "kernels/codecs/lp8_rows.hpp"
#include "kernels/host_device.hpp"
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

/// Calls visit(rows) with the policy of rows that are not in place. Returns whether there is one.
template <typename Visit>
bool visit_decoded_rows(const PackedRows& packed, const Visit& visit) {
  switch (packed.coding) {
    case RowCoding::plain:
      return false;
    case RowCoding::lp8:
      visit(Lp8Rows(packed));
      return true;
    case RowCoding::lc8:
      visit(Lc8Rows(packed));
      return true;
  }
  return false;
}

/// The values of `row`, in place or in `tile`, after which `threads` have waited for each other. All of them call this.
template <typename Rows, typename Threads>
OCTAVO_HOST_DEVICE inline const std::int8_t* load_row(const Rows& rows, std::int64_t row, std::int8_t* tile,
                                                      const Threads& threads) {
  if constexpr (Rows::kInPlace) {
    return rows.codes(row);
  } else {
    rows.decode(row, tile, threads);
    threads.wait();
    return tile;
  }
}

}  // namespace octavo::kernels
