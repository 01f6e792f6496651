// The whitespace-separated words of a PNM file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <octavo/errors.hpp>

namespace octavo::images {

/// Reads words sequentially; '#' begins a comment up to the end of the line.
class PnmTokens {
 public:
  PnmTokens(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ >= bytes_.size(); }
  char here() const { return std::to_integer<char>(bytes_[at_]); }
  void advance() { ++at_; }

  void skip_space_and_comments() {
    for (; !is_at_end() && (is_space(here()) || here() == '#'); advance()) {
      if (here() == '#') skip_line();
    }
  }

  /// The next word, up to whitespace, a comment or the end; empty at the end.
  std::string word() {
    skip_space_and_comments();
    std::string word;
    for (; !is_at_end() && !is_space(here()) && here() != '#'; advance()) {
      word += here();
      if (word.size() > kLongestWord) throw FormatError("it has a word too long for a PNM file");
    }
    return word;
  }

  /// The rest of the line, without whitespace at its ends.
  std::string rest_of_line() {
    std::string line;
    for (; !is_at_end() && here() != '\n' && here() != '\r'; advance()) {
      line += here();
      if (line.size() > kLongestLine) throw FormatError("it has a line too long for a PNM header");
    }
    const auto is_blank = [](char c) { return is_space(c); };
    line.erase(line.begin(), std::ranges::find_if_not(line, is_blank));
    while (!line.empty() && is_space(line.back())) line.pop_back();
    return line;
  }

  /// The next word as a number from 0 to `most`; nullopt if the bytes end before or in it. A number at the very end
  /// counts as complete only with `may_end`.
  std::optional<std::int64_t> number(std::int64_t most, bool may_end) {
    const std::string digits = word();
    if (digits.empty() || (is_at_end() && !may_end)) return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') throw FormatError("it has a word where a PNM file needs a number");
      value = 10 * value + (digit - '0');
      if (value > most) throw FormatError("it has a number above " + std::to_string(most) + " in its PNM data");
    }
    return value;
  }

 private:
  static constexpr std::size_t kLongestWord = 40, kLongestLine = 255;

  /// Moves to the last character before the line's end.
  void skip_line() {
    for (; at_ + 1 < bytes_.size(); advance()) {
      const char next = std::to_integer<char>(bytes_[at_ + 1]);
      if (next == '\n' || next == '\r') return;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
};

}  // namespace octavo::images
