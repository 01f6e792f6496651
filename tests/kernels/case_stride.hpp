// Which of the cases of a long test run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace octavo::test {

inline std::uint32_t number_from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return static_cast<std::uint32_t>(std::max(otherwise, text == nullptr ? otherwise : std::atoi(text)));
}

/// Long tests run every case of this distance: the environment variable OCTAVO_CASE_STRIDE; 1 if it is not set.
inline std::uint32_t case_stride() { return number_from_environment("OCTAVO_CASE_STRIDE", 1); }
/// The first case that they run: the environment variable OCTAVO_FIRST_CASE, below the stride; 0 if it is not set.
inline std::uint32_t first_case() { return number_from_environment("OCTAVO_FIRST_CASE", 0) % case_stride(); }

}  // namespace octavo::test
