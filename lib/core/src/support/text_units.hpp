// Formats numbers and lines for human-readable output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace octavo {

/// printf() into a string of at most 255 characters.
template <typename... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

/// "44.9 MiB".
std::string in_units(std::int64_t bytes);

/// "60,000".
std::string grouped(std::int64_t count);

/// A line of a summary: the name in a column, then the text.
std::string summary_line(const std::string& name, const std::string& text);

}  // namespace octavo
