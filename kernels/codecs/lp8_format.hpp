// LP8 rows (docs/format.md): tiles of 8 columns, each of which one thread decodes alone.
//
// A row is one record per tile, then the payload of each tile. Tiles are in the order of planes, then bands of rows,
// then columns. A row that does not shrink is stored as plain codes, and recognized by its size.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

inline constexpr std::int64_t kLp8Columns = 8;
inline constexpr std::int64_t kLp8MostBandRows = 32;
/// Words of the payload that a record can address: 16 MiB.
inline constexpr std::int64_t kLp8MostPayloadWords = std::int64_t{1} << 22;
/// Channels of the images whose planes may be differences.
inline constexpr std::int64_t kLp8ColorChannels = 3;
/// The plane that is subtracted from the others.
inline constexpr std::int64_t kLp8ColorBase = 1;

/// What is known of a tile without its payload.
struct Lp8Record {
  /// The width number of each row of the tile, three bits each, the first in the lowest bits.
  std::uint32_t width_numbers[3];
  std::uint32_t place;  ///< see the accessors

  /// The offset of the tile's payload from the start of the payload, in words.
  OCTAVO_HOST_DEVICE std::uint32_t payload_word() const { return place & 0x3FFFFF; }
  /// Residuals are differences to the row above only; otherwise also to the difference on the left.
  OCTAVO_HOST_DEVICE bool is_vertical() const { return (place >> 22 & 1) != 0; }
  /// Planes 0 and 2 are differences to plane 1. Equal in all records of a row.
  OCTAVO_HOST_DEVICE bool has_color_differences() const { return (place >> 23 & 1) != 0; }
  /// The code that stands for the row above the tile, in every column.
  OCTAVO_HOST_DEVICE std::uint32_t first_code() const { return place >> 24; }
};
static_assert(sizeof(Lp8Record) == 16);

/// How an image is divided into tiles. The last tile of a band may have fewer columns, the last band fewer rows.
struct Lp8Tiling {
  OCTAVO_HOST_DEVICE explicit Lp8Tiling(const SampleShape& image)
      : shape(image),
        columns((shape.width + kLp8Columns - 1) / kLp8Columns),
        bands((shape.height + kLp8MostBandRows - 1) / kLp8MostBandRows),
        band_rows((shape.height + bands - 1) / bands) {}

  SampleShape shape;
  std::int64_t columns;    ///< tiles of a band
  std::int64_t bands;      ///< of a plane
  std::int64_t band_rows;  ///< rows of a band

  OCTAVO_HOST_DEVICE std::int64_t tile_count() const { return shape.channels * bands * columns; }
  OCTAVO_HOST_DEVICE std::int64_t record_bytes() const {
    return tile_count() * static_cast<std::int64_t>(sizeof(Lp8Record));
  }
  /// Of a row that is stored as plain codes.
  OCTAVO_HOST_DEVICE std::int64_t plain_bytes() const { return (shape.values() + 3) / 4 * 4; }
  OCTAVO_HOST_DEVICE std::int64_t tile(std::int64_t plane, std::int64_t band, std::int64_t column) const {
    return (plane * bands + band) * columns + column;
  }
  OCTAVO_HOST_DEVICE std::int64_t rows_of(std::int64_t band) const {
    const std::int64_t rest = shape.height - band * band_rows;
    return rest < band_rows ? rest : band_rows;
  }
  OCTAVO_HOST_DEVICE std::int64_t columns_of(std::int64_t column) const {
    const std::int64_t rest = shape.width - column * kLp8Columns;
    return rest < kLp8Columns ? rest : kLp8Columns;
  }
};

/// Bits of a residual in a row with this width number.
OCTAVO_HOST_DEVICE constexpr std::uint32_t lp8_width(std::uint32_t number) { return number + ((number + 1) >> 3); }

/// Bytes of a row of `columns` residuals of `width` bits.
OCTAVO_HOST_DEVICE inline std::uint32_t lp8_row_bytes(std::uint32_t width, std::uint32_t columns) {
  return (width * columns + 7) / 8;
}

}  // namespace octavo::kernels
