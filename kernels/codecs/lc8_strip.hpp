// Decoding a strip of an LC8 row by one thread.
#pragma once

#include <cstdint>

#include "kernels/codecs/lc8_format.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Reads bits of a payload, from the lowest bit of each word on.
class Lc8Bits {
 public:
  OCTAVO_HOST_DEVICE Lc8Bits(const std::uint32_t* payload, std::uint64_t bit)
      : next_(payload + bit / 32 + 2),
        window_(payload[bit / 32] | static_cast<std::uint64_t>(payload[bit / 32 + 1]) << 32),
        used_(static_cast<std::uint32_t>(bit % 32)) {}

  /// The next 32 bits.
  OCTAVO_HOST_DEVICE std::uint32_t peek() const { return static_cast<std::uint32_t>(window_ >> used_); }
  /// At most 32.
  OCTAVO_HOST_DEVICE void skip(std::uint32_t count) {
    used_ += count;
    if (used_ < 32) return;
    used_ -= 32;
    window_ = window_ >> 32 | static_cast<std::uint64_t>(*next_++) << 32;
  }

 private:
  const std::uint32_t* next_;  ///< the word after the window
  std::uint64_t window_;
  std::uint32_t used_;  ///< bits of the window, less than 32
};

/// The last column of a strip, which the next one continues: codes and magnitudes of residuals.
struct Lc8Edge {
  std::int8_t codes[kLc8MostBandRows];
  std::uint8_t magnitudes[kLc8MostBandRows];
};

/// Where the codes of a strip go, or are: `rows` rows of `columns` codes, the rows `stride` apart.
template <typename Code>
struct Lc8StripCodes {
  Code* first;
  std::int64_t stride, rows, columns;
};

/// What is known when a code is coded: the codes and magnitudes around it. The body of the encoder and of the decoder.
///
/// `code_of(y, x, prediction, class_number)` returns the code, in [-128, 127], and reports its residual by reference;
/// `is_zero_row(y)` is called if nothing around a row suggests a residual; if it returns true, no residual of the row
/// has bits, and the class number is kLc8Classes. The magnitudes of `left` are those of the strip on the left, or it is
/// null; they become those of this one.
template <typename CodeOf, typename IsZeroRow>
OCTAVO_HOST_DEVICE inline void walk_lc8_strip(std::int64_t rows, std::int64_t columns, bool has_left, Lc8Edge& edge,
                                              const IsZeroRow& is_zero_row, const CodeOf& code_of) {
  std::int32_t codes[kLc8Columns], magnitudes[kLc8Columns];
  for (std::int64_t x = 0; x < kLc8Columns; ++x) {
    codes[x] = 0;
    magnitudes[x] = kLc8FirstMagnitude;
  }
  std::int32_t edge_code = 0, edge_magnitude = kLc8FirstMagnitude;  // of the row above
  for (std::int64_t y = 0; y < rows; ++y) {
    std::int32_t left = codes[0], above_left = codes[0], left_magnitude = magnitudes[0],
                 above_left_magnitude = magnitudes[0];
    if (has_left) {
      above_left = edge_code;
      above_left_magnitude = edge_magnitude;
      left = edge_code = edge.codes[y];
      left_magnitude = edge_magnitude = edge.magnitudes[y];
    }
    std::int32_t any = left_magnitude;
    for (std::int64_t x = 0; x < columns; ++x) any |= magnitudes[x];
    const bool is_zero = any == 0 && is_zero_row(y);
    for (std::int64_t x = 0; x < columns; ++x) {
      const std::int32_t above = codes[x], above_magnitude = magnitudes[x];
      const std::int32_t next_magnitude = x + 1 < columns ? magnitudes[x + 1] : above_magnitude;
      const std::int32_t around = 2 * (left_magnitude + above_magnitude) + above_left_magnitude + next_magnitude;
      std::int32_t residual = 0;
      left =
          code_of(y, x, lc8_prediction(left, above, above_left), is_zero ? kLc8Classes : lc8_class(around), residual);
      above_left = above;
      above_left_magnitude = above_magnitude;
      left_magnitude = residual < 0 ? -residual : residual;
      codes[x] = left;
      magnitudes[x] = left_magnitude;
    }
    edge.codes[y] = static_cast<std::int8_t>(left);
    edge.magnitudes[y] = static_cast<std::uint8_t>(left_magnitude);
  }
}

/// Decodes a strip that begins at `bit` of `payload`. `entries` are kLc8AllEntries words.
OCTAVO_HOST_DEVICE inline void decode_lc8_strip(const std::uint32_t* payload, std::uint64_t bit, bool is_plain,
                                                const std::uint32_t* entries, const Lc8StripCodes<std::int8_t>& out,
                                                bool has_left, Lc8Edge& edge) {
  Lc8Bits bits(payload, bit);
  if (is_plain) {
    for (std::int64_t y = 0; y < out.rows; ++y) {
      for (std::int64_t x = 0; x < out.columns; ++x) {
        out.first[y * out.stride + x] = static_cast<std::int8_t>(bits.peek());
        bits.skip(8);
      }
      edge.codes[y] = out.first[y * out.stride + out.columns - 1];
      edge.magnitudes[y] = kLc8PlainMagnitude;
    }
    return;
  }
  walk_lc8_strip(
      out.rows, out.columns, has_left, edge,
      [&](std::int64_t) {
        const bool is_zero = (bits.peek() & 1) != 0;
        bits.skip(1);
        return is_zero;
      },
      [&](std::int64_t y, std::int64_t x, std::int32_t prediction, std::int32_t class_number, std::int32_t& residual) {
        const std::uint32_t next = bits.peek();
        const Lc8Entry entry = {
            entries[static_cast<std::uint32_t>(class_number) * kLc8TableEntries + next % kLc8TableEntries]};
        residual =
            entry.base() + static_cast<std::int32_t>(next >> entry.prefix_bits() & ((1u << entry.extra_bits()) - 1));
        bits.skip(entry.all_bits());
        const auto code = static_cast<std::int8_t>(prediction + residual);
        out.first[y * out.stride + x] = code;
        return static_cast<std::int32_t>(code);
      });
}

}  // namespace octavo::kernels
