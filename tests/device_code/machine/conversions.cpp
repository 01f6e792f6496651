#include "machine/conversions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "machine/bit_operations.hpp"
#include "machine/float_rounding.hpp"

namespace device_code {
namespace {

constexpr Type kFloat{TypeKind::real, 32}, kDouble{TypeKind::real, 64}, kHalf{TypeKind::real, 16},
    kBFloat{TypeKind::bfloat16, 16};

bool is_float(Type type) { return type.is_real() || type.kind == TypeKind::bfloat16; }
bool rounds_to_integer(Rounding rounding) { return rounding >= Rounding::integer_nearest; }

double real_of(Type type, u64 bits) {
  if (type == kDouble) return std::bit_cast<double>(bits);
  if (type == kFloat) return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits)));
  return value_of(type == kHalf ? kFloat16 : kBFloat16, bits);
}

u64 bits_of(Type type, double value, Rounding rounding) {
  if (type == kDouble) return std::bit_cast<u64>(value);
  return round_to(type == kFloat ? kFloat32 : type == kHalf ? kFloat16 : kBFloat16, value, rounding);
}

double rounded_to_integer(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::integer_nearest:
      return std::nearbyint(value);
    case Rounding::integer_down:
      return std::floor(value);
    case Rounding::integer_up:
      return std::ceil(value);
    default:
      return std::trunc(value);
  }
}

double flushed(double value, const Instruction& i) {
  const bool is_denormal = i.flushes_denormals && std::fabs(value) < std::ldexp(1.0, -126);
  return is_denormal ? std::copysign(0.0, value) : value;
}

u64 real_to_real(const Instruction& i, u64 value) {
  double number = flushed(real_of(i.from_type, value), i);
  if (rounds_to_integer(i.rounding)) number = rounded_to_integer(number, i.rounding);
  if (i.saturates) number = std::isnan(number) || number <= 0.0 ? 0.0 : std::min(number, 1.0);
  return bits_of(i.type, number, i.rounding);
}

/// The first number above those that an integer type has.
double limit_of(Type type) { return std::ldexp(1.0, type.is_signed() ? type.bits - 1 : type.bits); }

/// Saturates. A NaN becomes 0; for doubles, and for integers of 64 bits, it becomes the highest bit alone.
u64 real_to_integer(const Instruction& i, u64 value) {
  const double number = flushed(real_of(i.from_type, value), i);
  if (std::isnan(number)) return i.from_type == kDouble || i.type.bits == 64 ? u64{1} << (i.type.bits - 1u) : 0;
  const double whole = rounded_to_integer(number, i.rounding), limit = limit_of(i.type);
  if (!i.type.is_signed()) return whole >= limit ? i.type.mask() : whole < 0 ? 0 : static_cast<u64>(whole);
  if (whole >= limit) return low_bits(i.type.bits - 1u);
  if (whole < -limit) return u64{1} << (i.type.bits - 1u);
  return static_cast<u64>(static_cast<i64>(whole)) & i.type.mask();
}

/// A 64-bit integer has more bits than a double, so it is rounded to float once.
u64 integer_to_real(const Instruction& i, u64 value) {
  const u64 extended = i.from_type.is_signed() ? sign_extended(value, i.from_type.bits) : value & i.from_type.mask();
  if (i.type == kDouble) {
    const double number =
        i.from_type.is_signed() ? static_cast<double>(static_cast<i64>(extended)) : static_cast<double>(extended);
    return std::bit_cast<u64>(number);
  }
  const float number =
      i.from_type.is_signed() ? static_cast<float>(static_cast<i64>(extended)) : static_cast<float>(extended);
  return std::bit_cast<u32>(number);
}

u64 to_pair(const Instruction& i, u64 high, u64 low) {
  const Type part = i.type.kind == TypeKind::real_pair ? kHalf : kBFloat;
  return bits_of(part, real_of(kFloat, high), i.rounding) << 16 | bits_of(part, real_of(kFloat, low), i.rounding);
}

}  // namespace

bool is_known_conversion(const Instruction& i) {
  const Type to = i.type, from = i.from_type;
  if (to.is_pair()) return from == kFloat && i.third_type.kind == TypeKind::none && !i.saturates;
  if (is_float(to) && is_float(from)) return true;
  if (to.is_integer() && from.is_integer()) return !i.saturates;
  if (to.is_integer() && is_float(from)) return rounds_to_integer(i.rounding) && !i.saturates;
  return from.is_integer() && (to == kFloat || to == kDouble) && i.rounding == Rounding::nearest && !i.saturates;
}

u64 converted(const Instruction& i, u64 value, u64 second) {
  if (i.type.is_pair()) return to_pair(i, value, second);
  if (is_float(i.type)) return is_float(i.from_type) ? real_to_real(i, value) : integer_to_real(i, value);
  return real_to_integer(i, value);
}

bool is_out_of_range(const Instruction& i, u64 value) {
  if (!is_float(i.from_type) || !i.type.is_integer()) return false;
  const double number = rounded_to_integer(real_of(i.from_type, value), i.rounding), limit = limit_of(i.type);
  return !(number < limit && number >= (i.type.is_signed() ? -limit : 0.0));
}

}  // namespace device_code
