// How many of the cases of a long test run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace octavo::test {

/// The environment variable OCTAVO_CASE_STRIDE; 1 if it is not set. Long tests run every case of that distance.
inline std::uint32_t case_stride() {
  const char* const text = std::getenv("OCTAVO_CASE_STRIDE");
  return text == nullptr ? 1 : static_cast<std::uint32_t>(std::max(1, std::atoi(text)));
}

}  // namespace octavo::test
