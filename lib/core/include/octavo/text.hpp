// Text helpers that the library and the program share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

/// The text with each byte that is not part of UTF-8 written as \xB0: file names are bytes, in any encoding.
std::string as_utf8(std::string_view text);

/// The same on one line: control characters, also those of Unicode that break lines or reverse text, become '?'. Names
/// of files and text from a server may contain terminal escape sequences.
std::string printable(std::string_view text);

/// The text without blanks (spaces, tabs, line ends) around it.
std::string_view trimmed(std::string_view text);

/// "a, b or c", for messages.
std::string either_of(const std::vector<std::string>& names);

/// The names in a table of choices, such as kResidencies.
template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

/// Whether a split may have this name: [A-Za-z0-9][A-Za-z0-9_.-]{0,63}, except `index`, `classes` and `provenance`.
bool is_split_name(std::string_view name);

}  // namespace octavo
