// The float16 nearest to a value, by arithmetic: not every compiler has a type for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

/// The bits of the nearest float16, ties to even. The bits of a NaN are those of some NaN.
inline std::uint16_t reference_float16_bits(float value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(static_cast<double>(value));
  int bits = 0x7C00;
  if (std::isnan(value)) {
    bits = 0x7E00;
  } else if (magnitude < 65536) {
    // A significand has ten bits behind the point. Subnormal values have the smallest exponent, too.
    const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
    const auto significand = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    // The sum carries a significand of two into the exponent, and takes the leading one of a subnormal value from it.
    bits = (exponent + 15) * 1024 + significand - 1024;
  }
  return static_cast<std::uint16_t>(sign | bits);
}
