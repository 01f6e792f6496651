// The Rows policy of RowCoding::lp8: threads decode a row together, one tile each.
#pragma once

#include <cstdint>

#include "kernels/codecs/lp8_format.hpp"
#include "kernels/codecs/lp8_tile.hpp"
#include "kernels/host_device.hpp"
#include "kernels/image_part.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::kernels {

/// A row that is not stored as plain codes.
struct Lp8Parts {
  const Lp8Record* records;      ///< of each tile
  const std::uint32_t* payload;  ///< of all tiles
  std::uint32_t payload_words;

  /// `row` has at least tiling.record_bytes().
  OCTAVO_HOST_DEVICE Lp8Parts(const CodedRow& row, const Lp8Tiling& tiling)
      : records(reinterpret_cast<const Lp8Record*>(row.bytes)),
        payload(reinterpret_cast<const std::uint32_t*>(row.bytes + tiling.record_bytes())),
        payload_words(static_cast<std::uint32_t>((row.size - tiling.record_bytes()) / 4)) {}

  /// The payload of a tile. A record that points elsewhere yields the end of the row.
  OCTAVO_HOST_DEVICE const std::uint32_t* payload_of(const Lp8Record& record) const {
    const std::uint32_t word = record.payload_word();
    return payload + (word < payload_words ? word : payload_words);
  }
};

class Lp8Rows {
 public:
  static constexpr bool kInPlace = false;

  OCTAVO_HOST_DEVICE explicit Lp8Rows(const PackedRows& packed) : packed_(packed) {}

  /// Decodes the tiles that `part` touches; other values of `tile` are unspecified.
  template <typename Threads>
  OCTAVO_HOST_DEVICE void decode(std::int64_t row, const ImagePart& part, std::int8_t* tile,
                                 const Threads& threads) const {
    const CodedRow coded = coded_row(packed_, row);
    const Lp8Tiling tiling(packed_.shape);
    const std::int64_t first = threads.index(), step = threads.count();
    if (coded.size >= tiling.plain_bytes()) {
      for (std::int64_t i = first; i < packed_.shape.values(); i += step) tile[i] = coded.bytes[i];
      return;
    }
    const Lp8Parts parts(coded, tiling);
    const AxisPart bands = part.rows.units(tiling.band_rows), columns = part.columns.units(kLp8Columns);
    const std::int32_t of_plane = bands.count() * columns.count();
    const std::int32_t all = static_cast<std::int32_t>(tiling.shape.channels) * of_plane;
    for (std::int32_t i = static_cast<std::int32_t>(first); i < all; i += static_cast<std::int32_t>(step)) {
      const std::int32_t place = i % of_plane;
      decode_tile(tiling, parts, i / of_plane, bands.first + place / columns.count(),
                  columns.first + place % columns.count(), tile);
    }
    if (tiling.shape.channels != kLp8ColorChannels || !parts.records[0].has_color_differences()) return;
    threads.wait();
    add_base_plane(tiling.shape, kLp8ColorBase, part.rows, tile, threads);
  }

 private:
  static OCTAVO_HOST_DEVICE void decode_tile(const Lp8Tiling& tiling, const Lp8Parts& parts, std::int64_t plane,
                                             std::int64_t band, std::int64_t column, std::int8_t* tile) {
    const auto columns = static_cast<std::uint32_t>(tiling.columns_of(column));
    const Lp8Record record = parts.records[tiling.tile(plane, band, column)];
    Lp8Tile<false> codes;
    codes.begin(record, parts.payload_of(record), columns);
    std::int8_t* out =
        tile + (plane * tiling.shape.height + band * tiling.band_rows) * tiling.shape.width + column * kLp8Columns;
    for (std::int64_t y = 0; y < tiling.rows_of(band); ++y, out += tiling.shape.width) {
      const EightCodes row = codes.next_row();
      const std::uint64_t both = static_cast<std::uint64_t>(row.high) << 32 | row.low;
      for (std::uint32_t x = 0; x < columns; ++x) out[x] = static_cast<std::int8_t>(both >> (8 * x));
    }
  }

  const PackedRows& packed_;
};

}  // namespace octavo::kernels
