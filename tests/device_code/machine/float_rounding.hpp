// Exact conversions between formats of floating-point numbers, in every rounding mode.
#pragma once

#include "ptx/instruction.hpp"

namespace device_code {

/// A binary format of IEEE 754: its width is 1 + exponent_bits + fraction_bits.
struct FloatFormat {
  int exponent_bits, fraction_bits;
};
inline constexpr FloatFormat kFloat16{5, 10}, kBFloat16{8, 7}, kFloat32{8, 23};

/// The bits of `value` in a narrower format. A NaN becomes the format's canonical NaN, as on NVIDIA's GPUs: all bits
/// but the sign are set. A number that is too large becomes infinity or the largest number, depending on the mode.
u64 round_to(const FloatFormat& format, double value, Rounding rounding);

/// The value of bits in a format.
double value_of(const FloatFormat& format, u64 bits);

}  // namespace device_code
