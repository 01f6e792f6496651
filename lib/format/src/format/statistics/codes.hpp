// Converts uint8 values to codes and back: code = value - 128, which flips the top bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace octavo::statistics {

/// Converts values to codes, or codes to values, in place.
inline void flip_top_bits(std::span<std::uint8_t> bytes) {
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    word ^= 0x8080'8080'8080'8080;
    std::memcpy(bytes.data() + i, &word, 8);
  }
  for (; i < bytes.size(); ++i) bytes[i] ^= 0x80;
}

}  // namespace octavo::statistics
