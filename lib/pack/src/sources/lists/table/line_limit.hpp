// The longest line of a list.
#pragma once

#include <cstdint>
#include <string>

#include <octavo/errors.hpp>

namespace octavo::sources {

/// Enough for 100,000 labels.
inline constexpr std::int64_t kMostLineBytes = std::int64_t{1} << 20;

[[noreturn]] inline void refuse_long_line(std::int64_t number) {
  throw FormatError("line " + std::to_string(number) + " has more than " + std::to_string(kMostLineBytes) + " bytes");
}

}  // namespace octavo::sources
