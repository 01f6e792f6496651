// Numbers in texts for people.
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

}  // namespace octavo
