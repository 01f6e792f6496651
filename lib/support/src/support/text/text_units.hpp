// Formats numbers and lines for human-readable output.
#pragma once

#include <cstdio>
#include <string>

#include <octavo/byte_count.hpp>

namespace octavo {

/// printf() into a string of at most 255 characters.
template <typename... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

/// A line of a summary: the name in a column, then the text.
std::string summary_line(const std::string& name, const std::string& text);

}  // namespace octavo
