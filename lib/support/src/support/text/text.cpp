#include <octavo/text.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

#include "support/text/utf8.hpp"

namespace octavo {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string escaped_byte(char byte) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\x%02X", static_cast<unsigned char>(byte));
  return text.data();
}

/// Whether a character of UTF-8 controls the terminal: U+0000 to U+001F, U+007F to U+009F, and the marks and separators
/// that break lines or set the direction of text, U+200E, U+200F, U+2028 to U+202E and U+2066 to U+2069.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  const unsigned char last = byte(2);
  if (byte(1) == 0x81) return last >= 0xA6 && last <= 0xA9;
  return byte(1) == 0x80 && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE));
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t count = leading_character_bytes(text);
    if (count == 0) shown += escaped_byte(text[0]);
    shown += text.substr(0, count);
    text.remove_prefix(std::max<std::size_t>(count, 1));
  }
  return shown;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t count = leading_character_bytes(text);
    const std::string_view character = text.substr(0, count);
    shown += count == 0 ? escaped_byte(text[0]) : is_control(character) ? "?" : std::string(character);
    text.remove_prefix(std::max<std::size_t>(count, 1));
  }
  return shown;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string either_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return text;
}

bool is_split_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || !is_letter_or_digit(name.front())) return false;
  for (const char c : name) {
    if (!is_letter_or_digit(c) && c != '_' && c != '.' && c != '-') return false;
  }
  return name != "index" && name != "classes" && name != "provenance";
}

}  // namespace octavo
