#include "text/text_table.hpp"

#include <algorithm>

namespace octavo::tools {
namespace {

constexpr std::size_t kGap = 2;

/// Characters of UTF-8 text: bytes that do not continue a character.
std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void TextTable::print(std::ostream& out, const std::string& indent) const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], character_count(row[column]));
    }
  }
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string blanks(widths[column] - character_count(row[column]), ' ');
      line += alignment_[column] == 'r' ? blanks + row[column] : row[column] + blanks;
      line.append(kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

}  // namespace octavo::tools
