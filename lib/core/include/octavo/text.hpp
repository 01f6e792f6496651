// Text helpers that the library and the program share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

/// Replaces control characters by '?': names of files and text from a server may contain terminal escape sequences.
std::string printable(std::string text);

/// The text without blanks (spaces, tabs, line ends) around it.
std::string_view trimmed(std::string_view text);

/// "a, b or c", for messages.
std::string either_of(const std::vector<std::string>& names);

/// Whether a split may have this name: [A-Za-z0-9][A-Za-z0-9_.-]{0,63}, except `index`, `classes` and `provenance`.
bool is_split_name(std::string_view name);

}  // namespace octavo
