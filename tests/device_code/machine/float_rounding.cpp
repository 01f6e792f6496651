#include "machine/float_rounding.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace device_code {
namespace {

/// Whether to add one to the magnitude of a number that was cut off: `rest` is what was cut, with its highest bit worth
/// a half.
bool rounds_away(Rounding rounding, bool is_negative, bool is_odd, u64 rest, u64 half) {
  switch (rounding) {
    case Rounding::zero:
      return false;
    case Rounding::down:
      return is_negative && rest != 0;
    case Rounding::up:
      return !is_negative && rest != 0;
    default:
      return rest > half || (rest == half && is_odd);
  }
}

}  // namespace

u64 round_to(const FloatFormat& format, double value, Rounding rounding) {
  const u64 bits = std::bit_cast<u64>(value), sign_bit = u64{1} << (format.exponent_bits + format.fraction_bits);
  const bool is_negative = bits >> 63 != 0;
  const u64 sign = is_negative ? sign_bit : 0;
  const u64 infinity = low_bits(static_cast<unsigned>(format.exponent_bits)) << format.fraction_bits;
  if (std::isnan(value)) return sign_bit - 1;
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  int exponent;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  const auto significand = static_cast<u64>(std::ldexp(fraction, 53));
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  // Denormal numbers have the exponent of the smallest normal ones, and fewer bits.
  int field = exponent - 1 + bias;
  int cut = 52 - format.fraction_bits;
  if (field < 1) {
    cut += 1 - field;
    field = 0;
  }
  u64 kept = 0, rest = significand, half = 0;
  if (cut <= 63) {
    kept = significand >> cut;
    rest = significand & low_bits(static_cast<unsigned>(cut));
    half = u64{1} << (cut - 1);
  } else {
    half = std::numeric_limits<u64>::max();  // the number is below half of the smallest one
  }
  if (rounds_away(rounding, is_negative, (kept & 1) != 0, rest, half)) ++kept;
  // The highest bit of a normal number is implied; a carry moves into the exponent.
  const u64 magnitude = field == 0 ? kept : (static_cast<u64>(field - 1) << format.fraction_bits) + kept;
  if (magnitude < infinity) return sign | magnitude;
  const bool stays_finite = rounding == Rounding::zero || (rounding == Rounding::down && !is_negative) ||
                            (rounding == Rounding::up && is_negative);
  return sign | (stays_finite ? infinity - 1 : infinity);
}

double value_of(const FloatFormat& format, u64 bits) {
  const u64 fraction = bits & low_bits(static_cast<unsigned>(format.fraction_bits));
  const u64 field = bits >> format.fraction_bits & low_bits(static_cast<unsigned>(format.exponent_bits));
  const bool is_negative = (bits >> (format.exponent_bits + format.fraction_bits) & 1) != 0;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double magnitude;
  if (field == low_bits(static_cast<unsigned>(format.exponent_bits))) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (field == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - format.fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(fraction | u64{1} << format.fraction_bits),
                           static_cast<int>(field) - bias - format.fraction_bits);
  }
  return is_negative ? -magnitude : magnitude;
}

}  // namespace device_code
