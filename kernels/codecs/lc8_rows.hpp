// The Rows policy of RowCoding::lc8: threads decode a row together, a plane of a group of strips each.
#pragma once

#include <cstdint>

#include "kernels/codecs/lc8_format.hpp"
#include "kernels/codecs/lc8_strip.hpp"
#include "kernels/host_device.hpp"
#include "kernels/image_part.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::kernels {

static_assert(kLc8MostStripBytes <= kRowGuardBytes);

class Lc8Rows {
 public:
  static constexpr bool kInPlace = false;

  OCTAVO_HOST_DEVICE explicit Lc8Rows(const PackedRows& packed) : packed_(packed) {}

  /// Decodes the groups that `part` touches; other values of `tile` are unspecified.
  template <typename Threads>
  OCTAVO_HOST_DEVICE void decode(std::int64_t row, const ImagePart& part, std::int8_t* tile,
                                 const Threads& threads) const {
    const CodedRow coded = coded_row(packed_, row);
    const Lc8Tiling tiling(packed_.shape);
    const std::int64_t first = threads.index(), step = threads.count();
    if (coded.size >= tiling.plain_bytes()) {
      for (std::int64_t i = first; i < packed_.shape.values(); i += step) tile[i] = coded.bytes[i];
      return;
    }
    const Lc8Parts parts(coded.bytes, coded.size, tiling);
    const AxisPart bands = part.rows.units(tiling.band_rows);
    const AxisPart groups = part.columns.units(kLc8GroupStrips * kLc8Columns);
    const std::int32_t of_plane = bands.count() * groups.count();
    const std::int32_t all = static_cast<std::int32_t>(tiling.shape.channels) * of_plane;
    for (std::int32_t i = static_cast<std::int32_t>(first); i < all; i += static_cast<std::int32_t>(step)) {
      const std::int32_t place = i % of_plane;
      decode_plane(tiling, parts, bands.first + place / groups.count(), groups.first + place % groups.count(),
                   i / of_plane, tile);
    }
    if (tiling.shape.channels != kLc8ColorChannels || !parts.has_color_differences()) return;
    threads.wait();
    add_base_plane(tiling.shape, kLc8ColorBase, part.rows, tile, threads);
  }

 private:
  /// Decodes the strips of a plane of a group, one after the other.
  OCTAVO_HOST_DEVICE void decode_plane(const Lc8Tiling& tiling, const Lc8Parts& parts, std::int64_t band,
                                       std::int64_t group, std::int64_t plane, std::int8_t* tile) const {
    const std::int64_t strips = tiling.strips_of(group), first = tiling.first_strip(band, group);
    const std::int64_t rows = tiling.rows_of(band), width = tiling.shape.width;
    const auto columns_of = [&](std::int64_t strip) { return tiling.columns_of(group * kLc8GroupStrips + strip); };
    std::uint64_t bit = parts.group_bit(band * tiling.groups + group);
    for (std::int64_t i = 0; i < plane * strips; ++i) {
      bit += Lc8Parts::bits_of_strip(parts.length(first + i), rows, columns_of(i % strips));
    }
    Lc8Edge edge;
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      const std::uint32_t length = parts.length(first + plane * strips + strip);
      const std::int64_t x = (group * kLc8GroupStrips + strip) * kLc8Columns;
      const Lc8StripCodes<std::int8_t> out = {
          tile + (plane * tiling.shape.height + band * tiling.band_rows) * width + x, width, rows, columns_of(strip)};
      decode_lc8_strip(parts.payload(), parts.clamped(bit), length == kLc8PlainLength, packed_.tables, out, strip > 0,
                       edge);
      bit += Lc8Parts::bits_of_strip(length, rows, out.columns);
    }
  }

  const PackedRows& packed_;
};

}  // namespace octavo::kernels
