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

/// Reads the rows of a tile, from the first one on. Call begin() first. With kIsWhole, the tile has eight columns.
///
/// A residual of w bits is stored as itself plus the bias 2^(w-1). The eight codes of a row are the row above plus the
/// running sums of the residuals, or plus the residuals in a vertical tile. They are in fields of 16 bits, four columns
/// in two words: `even` has columns 0 and 2, `odd` 1 and 3. So one multiplication makes the sums of two columns. Only
/// the lower 8 bits of a field matter. A row adds at most 2,040 to a field: 4 * 127 and, as each field is kept positive
/// with 512, another 512; in columns 4 to 7 also as much again, the sum of the first four. So the fields of 32 rows do
/// not overflow into each other.
template <bool kIsWhole>
class Lp8Tile {
 public:
  /// `payload` is where the tile's payload starts, aligned to 4 bytes, behind the records of the row. Reads up to
  /// kLp8MostTileBytes from there, whatever they contain. The bits of `flips` are flipped in every code: none, or 0x80.
  OCTAVO_HOST_DEVICE void begin(const Lp8Record& record, const std::uint32_t* payload, std::uint32_t columns,
                                std::uint32_t flips = 0) {
    const auto odd_words = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(payload) / 4 % 2);
    next_ = payload - odd_words;
    for (int i = 0; i < kWindow; i += 2, next_ += 2) load_word_pair(next_, window_[i], window_[i + 1]);
    used_bits_ = 32 * odd_words;
    columns_ = columns;
    for (int i = 0; i < 3; ++i) numbers_[i] = record.width_numbers[i];
    is_sum_ = record.is_vertical() ? 0 : 1;
    to_upper_ = is_sum_ << 16;
    // Less the biases of the residuals that are summed: of 1 and 3 in even columns, of 2 and 4 in odd ones.
    even_biases_ = 0u - (0x00010001u + 0x00020000u * is_sum_);
    odd_biases_ = 0u - (0x00010001u + 0x00030001u * is_sum_);
    const std::uint32_t above = (record.first_code() ^ flips) * 0x00010001u;
    for (Fields& quad : quads_) quad = {above, above};
  }

  OCTAVO_HOST_DEVICE EightCodes next_row() {
    const std::uint32_t width = lp8_width(numbers_[0] & 7);
    numbers_[0] = bits_from(numbers_[0], numbers_[1], 3);
    numbers_[1] = bits_from(numbers_[1], numbers_[2], 3);
    numbers_[2] >>= 3;
    const bool is_odd = used_bits_ >= 32;
    const std::uint32_t middle = is_odd ? window_[2] : window_[1];
    const std::uint32_t low = bits_from(is_odd ? window_[1] : window_[0], middle, used_bits_);
    const std::uint32_t high = bits_from(middle, is_odd ? window_[3] : window_[2], used_bits_);
    skip(8 * lp8_row_bytes(width, kIsWhole ? static_cast<std::uint32_t>(kLp8Columns) : columns_));

    const std::uint32_t bias = bit_at(width - 1), mask = low_bits(width) * 0x00010001u;
    const std::uint32_t even_start = 0x02000200u + bias * even_biases_, odd_start = 0x02000200u + bias * odd_biases_;
    const Fields first = fields(low, width, mask), second = fields(shifted(low, high, 4 * width), width, mask);
    const std::uint32_t first_pairs = pairs(first), second_pairs = pairs(second);
    const std::uint32_t sums = first_pairs * (to_upper_ + 1) + odd_start;
    quads_[0].odd += sums;
    quads_[0].even += first_pairs * to_upper_ + first.even + even_start;
    const std::uint32_t carry = select_bytes(sums, sums, 0x3232) * is_sum_;  // of column 3
    quads_[1].odd += second_pairs * (to_upper_ + 1) + odd_start + carry;
    quads_[1].even += second_pairs * to_upper_ + second.even + even_start + carry;
    return {joined(quads_[0]), joined(quads_[1])};
  }

 private:
  /// Four columns, each in 16 bits.
  struct Fields {
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

  /// The four fields of `width` bits at the lower end of `bits`. `mask` has as many bits in each half.
  static OCTAVO_HOST_DEVICE Fields fields(std::uint32_t bits, std::uint32_t width, std::uint32_t mask) {
    const std::uint32_t two = select_bytes(bits, bits >> (2 * width), 0x5410);
    return {two & mask, two >> width & mask};
  }

  /// The sums of columns 0 and 1, and of 2 and 3. In a vertical tile, 1 and 3 alone.
  OCTAVO_HOST_DEVICE std::uint32_t pairs(const Fields& quad) const { return quad.even * is_sum_ + quad.odd; }

  static OCTAVO_HOST_DEVICE std::uint32_t joined(const Fields& quad) {
    return select_bytes(quad.even, quad.odd, 0x6240);
  }

  OCTAVO_HOST_DEVICE void skip(std::uint32_t bits) {
    const std::uint32_t used = used_bits_ + bits;  // less than 128
    load_next_words(used / 64, next_, window_);
    next_ += used / 64 * 2;
    used_bits_ = used % 64;
  }

  /// A row is in the first three of four words, or in the last three. The next two words arrive before they are needed.
  static constexpr int kWindow = 6;

  const std::uint32_t* next_;  ///< the word after the window
  std::uint32_t columns_;
  std::uint32_t numbers_[3];       ///< of the rows from the next one on
  std::uint32_t window_[kWindow];  ///< the words of the payload from those with the next bit on, aligned to 8 bytes
  std::uint32_t used_bits_;        ///< of the first two words
  std::uint32_t is_sum_;           ///< 1: residuals are summed along a row; 0: they are not
  std::uint32_t to_upper_;         ///< moves a sum to the upper half; 0 if there are none
  std::uint32_t even_biases_, odd_biases_;
  Fields quads_[2];
};

/// Bytes that Lp8Tile reads from the start of a payload, at most.
inline constexpr std::int64_t kLp8MostTileBytes = kLp8MostBandRows * kLp8Columns + 24;

}  // namespace octavo::kernels
