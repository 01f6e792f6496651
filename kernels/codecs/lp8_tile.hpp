// Decoding a tile of an LP8 row by one thread, eight codes at a time, with 32-bit instructions only.
#pragma once

#include <cstdint>

#include "kernels/codecs/lp8_format.hpp"
#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

/// Eight codes: columns 0 to 3 in `low`, the first of them in its lowest byte, and 4 to 7 in `high`.
struct EightCodes {
  std::uint32_t low, high;
};

/// Adds the bytes of two words, modulo 256 each.
OCTAVO_HOST_DEVICE inline std::uint32_t add_bytes(std::uint32_t a, std::uint32_t b) {
  return ((a & 0x7F7F7F7Fu) + (b & 0x7F7F7F7Fu)) ^ ((a ^ b) & 0x80808080u);
}

/// Reads the rows of a tile, from the first one on. Call begin() first.
///
/// A residual of w bits is stored as itself plus the bias 2^(w-1). The eight codes of a row are the row above plus the
/// running sums of the residuals, or plus the residuals in a vertical tile. They are in fields of 16 bits, four columns
/// in two words: `even` has columns 0 and 2, `odd` 1 and 3. So one multiplication makes the sums of two columns. Only
/// the lower 8 bits of a field matter. A row adds at most 2,040 to a field: 4 * 127 and, as each field is kept positive
/// with 512, another 512; in columns 4 to 7 also as much again, the sum of the first four. So the fields of 32 rows do
/// not overflow into each other.
class Lp8Tile {
 public:
  /// `payload` is where the tile's payload starts, aligned to 4 bytes. Reads up to kLp8MostTileBytes from there,
  /// whatever they contain. The bits of `flips` are flipped in every code: none, or 0x80.
  OCTAVO_HOST_DEVICE void begin(const Lp8Record& record, const std::uint32_t* payload, std::uint32_t columns,
                                std::uint32_t flips = 0) {
    next_ = payload + kWindow;
    columns_ = columns;
    for (int i = 0; i < 3; ++i) numbers_[i] = record.width_numbers[i];
    for (int i = 0; i < kWindow; ++i) window_[i] = load_word(payload + i);
    used_bits_ = 0;
    sums_ = record.is_vertical() ? 0 : ~0u;
    const std::uint32_t above = (record.first_code() ^ flips) * 0x00010001u;
    for (Quad& quad : quads_) quad = {above, above};
  }

  OCTAVO_HOST_DEVICE EightCodes next_row() {
    const std::uint32_t width = lp8_width(numbers_[0] & 7);
    numbers_[0] = shifted(numbers_[0], numbers_[1], 3);
    numbers_[1] = shifted(numbers_[1], numbers_[2], 3);
    numbers_[2] >>= 3;
    const std::uint32_t first = shifted(window_[0], window_[1], used_bits_);
    const std::uint32_t second = shifted(window_[1], window_[2], used_bits_);
    // Less the biases of the residuals that are summed: of 1 and 3 in even columns, of 2 and 4 in odd ones.
    const std::uint32_t bias = bit_at(width - 1);
    const std::uint32_t even_start = 0x02000200u - bias * (0x00010001u + (sums_ & 0x00020000u));
    const std::uint32_t odd_start = 0x02000200u - bias * (0x00010001u + (sums_ & 0x00030001u));
    const std::uint32_t sum = add(quads_[0], spread(first, width), even_start, odd_start);
    const std::uint32_t carry = select_bytes(sum, sum, 0x3232) & sums_;  // of column 3
    add(quads_[1], spread(shifted(first, second, 4 * width), width), even_start + carry, odd_start + carry);
    skip(8 * lp8_row_bytes(width, columns_));
    return {joined(quads_[0]), joined(quads_[1])};
  }

 private:
  struct Quad {
    std::uint32_t even, odd;
  };

  /// The 32 bits from bit `count`, at most 32, of two words.
  static OCTAVO_HOST_DEVICE std::uint32_t shifted(std::uint32_t low, std::uint32_t high, std::uint32_t count) {
#if defined(__CUDA_ARCH__)
    return __funnelshift_rc(low, high, count);
#else
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(high) << 32 | low) >> count);
#endif
  }

  /// Moves the four fields of `width` bits at the lower end of `bits` to a byte each.
  static OCTAVO_HOST_DEVICE std::uint32_t spread(std::uint32_t bits, std::uint32_t width) {
    const std::uint32_t pair = low_bits(2 * width), one = low_bits(width);
    bits = (bits & pair) | ((bits << (16 - 2 * width)) & pair << 16);
    return (bits & one * 0x00010001u) | ((bits << (8 - width)) & one * 0x01000100u);
  }

  /// Adds four residuals to the row above. Returns what it added to the odd columns.
  OCTAVO_HOST_DEVICE std::uint32_t add(Quad& quad, std::uint32_t residuals, std::uint32_t even_start,
                                       std::uint32_t odd_start) const {
    const std::uint32_t odd = select_bytes(residuals, 0, 0x4341), even = residuals & 0x00FF00FFu;
    const std::uint32_t pairs = odd + (residuals & 0x00FF00FFu & sums_), to_upper = sums_ & 0x00010000u;
    const std::uint32_t sums = pairs * (to_upper + 1) + odd_start;
    quad.even += pairs * to_upper + even + even_start;
    quad.odd += sums;
    return sums;
  }

  static OCTAVO_HOST_DEVICE std::uint32_t joined(const Quad& quad) { return select_bytes(quad.even, quad.odd, 0x6240); }

  OCTAVO_HOST_DEVICE void skip(std::uint32_t bits) {
    const std::uint32_t used = used_bits_ + bits;  // less than 96
    const std::uint32_t* const next = next_;
    next_ += used / 32;
    used_bits_ = used % 32;
    if (used >= 32) next_word(load_word(next));
    if (used >= 64) next_word(load_word(next + 1));
  }
  OCTAVO_HOST_DEVICE void next_word(std::uint32_t word) {
    for (int i = 0; i + 1 < kWindow; ++i) window_[i] = window_[i + 1];
    window_[kWindow - 1] = word;
  }

  /// A row is in three words; it uses up to two of them. Two more arrive before they are needed.
  static constexpr int kWindow = 5;

  const std::uint32_t* next_;  ///< the word after the window
  std::uint32_t columns_;
  std::uint32_t numbers_[3];       ///< of the rows from the next one on
  std::uint32_t sums_;             ///< all ones: residuals are summed along a row; 0: they are not
  std::uint32_t window_[kWindow];  ///< the words of the payload from the one with the next bit on
  std::uint32_t used_bits_;        ///< of the first word
  Quad quads_[2];
};

/// Bytes that Lp8Tile reads from the start of a payload, at most.
inline constexpr std::int64_t kLp8MostTileBytes = kLp8MostBandRows * kLp8Columns + 20;

}  // namespace octavo::kernels
