#include "support/text/utf8.hpp"

#include <cstdint>

namespace octavo {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Length of a character by its first byte; 0 if no character begins with that byte.
std::size_t character_bytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

}  // namespace

std::size_t leading_character_bytes(std::string_view text) {
  const std::size_t count = character_bytes(static_cast<unsigned char>(text[0]));
  if (count == 0 || count > text.size()) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  if (count < 3) return count;
  const auto first = static_cast<unsigned char>(text[0]);
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || beyond ? 0 : count;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = leading_character_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

std::string_view cut_utf8(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  // A character has at most 3 bytes after the first. Longer sequences are not UTF-8 and may be cut anywhere.
  for (int back = 0; back < 3 && end > 0 && is_continuation(text[end]); ++back) --end;
  if (is_continuation(text[end])) end = most_bytes;
  return text.substr(0, end);
}

}  // namespace octavo
