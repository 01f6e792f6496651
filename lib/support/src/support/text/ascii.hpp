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

/// What the spellings of a name have in common: in lower case, without '_', '-' and blanks. "MaskPath" and "mask_path"
/// are "maskpath".
inline std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : lower_case(name)) {
    if (c != '_' && c != '-' && c != ' ') letters += c;
  }
  return letters;
}

}  // namespace octavo
