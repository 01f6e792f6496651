// Numbers of an augmentation as text.
#pragma once

#include <string>

namespace octavo::store {

/// A number without trailing zeros, such as 0.5 or 3.
inline std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace octavo::store
