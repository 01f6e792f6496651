// Characters and UTF-16 as UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace octavo::files {

/// Appends a character; U+FFFD if it is a surrogate or beyond U+10FFFF.
inline void append_utf8(std::uint32_t character, std::string& text) {
  if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) character = 0xFFFD;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (character >> shift & 0x3F)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0 | character >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | character >> 18);
    tail(12), tail(6), tail(0);
  }
}

/// UTF-16 as UTF-8.
inline std::string utf8_of(std::span<const std::uint16_t> units) {
  std::string text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool is_pair = (units[i] & 0xFC00) == 0xD800 && i + 1 < units.size() && (units[i + 1] & 0xFC00) == 0xDC00;
    if (is_pair) {
      append_utf8(0x10000 + ((units[i] & 0x3FFU) << 10 | (units[i + 1] & 0x3FFU)), text);
      ++i;
    } else {
      append_utf8(units[i], text);
    }
  }
  return text;
}

}  // namespace octavo::files
