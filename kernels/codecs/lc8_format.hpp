// LC8 rows (docs/format.md): strips of 8 columns, entropy coded. A strip needs the one on its left.
//
// A row is a header, then the payload of each group of up to four strips. Groups are in the order of bands of rows,
// then columns; the strips of a group are in the order of planes, then columns. A row that does not shrink is stored as
// plain codes, and recognized by its size.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

inline constexpr std::int64_t kLc8Columns = 8;
inline constexpr std::int64_t kLc8GroupStrips = 4;
inline constexpr std::int64_t kLc8MostBandRows = 64;
/// Channels of the images whose planes may be differences, and the plane that is subtracted from the others.
inline constexpr std::int64_t kLc8ColorChannels = 3, kLc8ColorBase = 1;

/// What is assumed above the first row of a strip: codes of 0, and residuals of this magnitude.
inline constexpr std::int32_t kLc8FirstMagnitude = 8;
/// What a strip shows to the one on its right if it is plain.
inline constexpr std::int32_t kLc8PlainMagnitude = 16;
/// The length of a strip of plain codes. Others have fewer bits.
inline constexpr std::uint32_t kLc8PlainLength = 4095;
inline constexpr std::uint32_t kLc8LengthBits = 12;

/// Residuals are coded by their neighbors' magnitudes, with a table of prefix codes for each class of these.
inline constexpr std::int32_t kLc8Classes = 16;
/// The first bits of a code select an entry; a prefix has at most as many.
inline constexpr std::uint32_t kLc8PrefixBits = 8;
inline constexpr std::uint32_t kLc8TableEntries = 1u << kLc8PrefixBits;
/// One more table, of zeros, is for residuals that have no bits.
inline constexpr std::uint32_t kLc8AllEntries = (kLc8Classes + 1) * kLc8TableEntries;
/// Of a prefix and the bits after it.
inline constexpr std::int64_t kLc8MostResidualBits = 15;

/// The bits of a residual: those of its prefix, and as many more as `extra_bits`. It is their value plus `base`.
struct Lc8Entry {
  std::uint32_t word;

  OCTAVO_HOST_DEVICE static constexpr Lc8Entry of(std::uint32_t prefix_bits, std::uint32_t extra_bits,
                                                  std::int32_t base) {
    return {prefix_bits | extra_bits << 8 | (prefix_bits + extra_bits) << 16 | static_cast<std::uint32_t>(base) << 24};
  }
  OCTAVO_HOST_DEVICE std::uint32_t prefix_bits() const { return word & 0xFF; }
  OCTAVO_HOST_DEVICE std::uint32_t extra_bits() const { return word >> 8 & 0xFF; }
  OCTAVO_HOST_DEVICE std::uint32_t all_bits() const { return word >> 16 & 0xFF; }
  OCTAVO_HOST_DEVICE std::int32_t base() const { return static_cast<std::int32_t>(word) >> 24; }
};

/// The class of a residual: twice the magnitudes of the residuals on the left and above, plus those above on the left
/// and above on the right. Classes are half an octave wide.
OCTAVO_HOST_DEVICE inline std::int32_t lc8_class(std::int32_t magnitudes) {
  // The exponent and the first bit of the significand; of 1.0, 254.
  const std::int32_t half_octaves = static_cast<std::int32_t>(bits_of(static_cast<float>(magnitudes + 1)) >> 22) - 255;
  return half_octaves < 0 ? 0 : half_octaves < kLc8Classes ? half_octaves : kLc8Classes - 1;
}

/// The predicted code: of the codes on the left and above, and the one that continues them, the one in the middle.
OCTAVO_HOST_DEVICE inline std::int32_t lc8_prediction(std::int32_t left, std::int32_t above, std::int32_t above_left) {
  const std::int32_t least = left < above ? left : above, most = left < above ? above : left;
  const std::int32_t continued = left + above - above_left;
  return continued < least ? least : continued < most ? continued : most;
}

/// How an image is divided. The last strip of a band may have fewer columns, its last group fewer strips, and the last
/// band fewer rows.
struct Lc8Tiling {
  OCTAVO_HOST_DEVICE explicit Lc8Tiling(const SampleShape& image)
      : shape(image),
        strips((shape.width + kLc8Columns - 1) / kLc8Columns),
        groups((strips + kLc8GroupStrips - 1) / kLc8GroupStrips),
        bands((shape.height + kLc8MostBandRows - 1) / kLc8MostBandRows),
        band_rows((shape.height + bands - 1) / bands) {}

  SampleShape shape;
  std::int64_t strips;     ///< of a band of a plane
  std::int64_t groups;     ///< of a band
  std::int64_t bands;      ///< of a plane
  std::int64_t band_rows;  ///< rows of a band

  OCTAVO_HOST_DEVICE std::int64_t group_count() const { return bands * groups; }
  OCTAVO_HOST_DEVICE std::int64_t strip_count() const { return shape.channels * bands * strips; }
  OCTAVO_HOST_DEVICE std::int64_t strips_of(std::int64_t group) const {
    const std::int64_t rest = strips - group * kLc8GroupStrips;
    return rest < kLc8GroupStrips ? rest : kLc8GroupStrips;
  }
  OCTAVO_HOST_DEVICE std::int64_t columns_of(std::int64_t strip) const {
    const std::int64_t rest = shape.width - strip * kLc8Columns;
    return rest < kLc8Columns ? rest : kLc8Columns;
  }
  OCTAVO_HOST_DEVICE std::int64_t rows_of(std::int64_t band) const {
    const std::int64_t rest = shape.height - band * band_rows;
    return rest < band_rows ? rest : band_rows;
  }

  /// The header: flags, where the payload of each group begins if there are several, and the bits of each strip.
  OCTAVO_HOST_DEVICE std::int64_t lengths_word() const { return 1 + (group_count() > 1 ? group_count() : 0); }
  OCTAVO_HOST_DEVICE std::int64_t header_words() const {
    return lengths_word() + (strip_count() * kLc8LengthBits + 31) / 32;
  }
  /// The number of the first strip of a group, in the order of the lengths.
  OCTAVO_HOST_DEVICE std::int64_t first_strip(std::int64_t band, std::int64_t group) const {
    return shape.channels * (band * strips + group * kLc8GroupStrips);
  }
  /// Of a row that is stored as plain codes.
  OCTAVO_HOST_DEVICE std::int64_t plain_bytes() const { return (shape.values() + 3) / 4 * 4; }
};

/// A row that is not stored as plain codes. It has at least a header.
struct Lc8Parts {
  const std::uint32_t* words;
  const Lc8Tiling& tiling;
  std::uint32_t payload_words;

  OCTAVO_HOST_DEVICE Lc8Parts(const std::int8_t* bytes, std::int64_t size, const Lc8Tiling& of)
      : words(reinterpret_cast<const std::uint32_t*>(bytes)),
        tiling(of),
        payload_words(static_cast<std::uint32_t>(size / 4 - of.header_words())) {}

  /// Planes 0 and 2 are differences to plane 1.
  OCTAVO_HOST_DEVICE bool has_color_differences() const { return (words[0] & 1) != 0; }
  OCTAVO_HOST_DEVICE const std::uint32_t* payload() const { return words + tiling.header_words(); }
  /// The bit of the payload at which a group begins. A group that would begin elsewhere begins at the end.
  OCTAVO_HOST_DEVICE std::uint64_t group_bit(std::int64_t group_number) const {
    const std::uint32_t word = tiling.group_count() > 1 ? words[1 + group_number] : 0;
    return 32 * static_cast<std::uint64_t>(word < payload_words ? word : payload_words);
  }
  /// The length of a strip as it is stored.
  OCTAVO_HOST_DEVICE std::uint32_t length(std::int64_t strip_number) const {
    const std::int64_t bit = strip_number * kLc8LengthBits;
    const std::uint32_t* const from = words + tiling.lengths_word() + bit / 32;
    const auto shift = static_cast<std::uint32_t>(bit % 32);
    std::uint32_t bits = from[0] >> shift;
    if (shift > 32 - kLc8LengthBits) bits |= from[1] << (32 - shift);
    return bits & ((1u << kLc8LengthBits) - 1);
  }
  /// The bits of a strip of `rows` rows and `columns` columns.
  OCTAVO_HOST_DEVICE static std::uint64_t bits_of_strip(std::uint32_t length, std::int64_t rows, std::int64_t columns) {
    return length == kLc8PlainLength ? static_cast<std::uint64_t>(8 * rows * columns) : length;
  }
  /// No bit after the payload is a beginning.
  OCTAVO_HOST_DEVICE std::uint64_t clamped(std::uint64_t bit) const {
    const std::uint64_t end = 32 * static_cast<std::uint64_t>(payload_words);
    return bit < end ? bit : end;
  }
};

/// Bytes that a decoder reads from the beginning of a strip, at most: its bits, a bit for each row, and a window of 12
/// bytes.
inline constexpr std::int64_t kLc8MostStripBytes =
    (kLc8MostBandRows * (kLc8Columns * kLc8MostResidualBits + 1) + 7) / 8 + 12;

}  // namespace octavo::kernels
