// ASCII character functions for file names, columns and digests, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace octavo
