// Arithmetic of floats and doubles. Compiled with -frounding-math: rounding modes change while it runs.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "machine/bit_operations.hpp"
#include "machine/compute.hpp"
#include "machine/lane_loops.hpp"

namespace device_code {
namespace {

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
float saturated(float value) { return std::isnan(value) || value <= 0.0f ? 0.0f : std::min(value, 1.0f); }

/// Rounds in another direction while it lives.
class RoundingMode {
 public:
  explicit RoundingMode(Rounding rounding) : previous_(std::fegetround()) {
    switch (rounding) {
      case Rounding::zero:
        std::fesetround(FE_TOWARDZERO);
        break;
      case Rounding::down:
        std::fesetround(FE_DOWNWARD);
        break;
      case Rounding::up:
        std::fesetround(FE_UPWARD);
        break;
      default:
        break;
    }
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
  ~RoundingMode() { std::fesetround(previous_); }

 private:
  int previous_;
};

template <int kOperands, typename NumberFrom>
void for_floats(const Step& step, const NumberFrom& number_from) {
  const Instruction& i = step.instruction;
  if (i.type != Type{TypeKind::real, 32}) fail_unknown(i);
  const bool is_nearest = i.rounding == Rounding::none || i.rounding == Rounding::nearest;
  if (is_nearest && !i.flushes_denormals && !i.saturates) return for_numbers<float, kOperands>(step, number_from);
  const RoundingMode mode(i.rounding);
  for_numbers<float, kOperands>(step, [&](auto... numbers) {
    // volatile: the compiler does not know of the rounding mode.
    volatile float result = number_from((i.flushes_denormals ? flushed(numbers) : numbers)...);
    float value = result;
    if (i.flushes_denormals) value = flushed(value);
    return i.saturates ? saturated(value) : value;
  });
}

template <int kOperands, typename NumberFrom>
void for_doubles(const Step& step, const NumberFrom& number_from) {
  const RoundingMode mode(step.instruction.rounding);
  if (step.instruction.saturates || step.instruction.flushes_denormals) fail_unknown(step.instruction);
  ++step.machine.counts.double_instructions;
  for_numbers<double, kOperands>(step, [&](auto... numbers) {
    volatile double result = number_from(numbers...);
    return static_cast<double>(result);
  });
}

template <int kOperands, typename NumberFrom>
void for_reals(const Step& step, const NumberFrom& number_from) {
  switch (step.instruction.type.bits) {
    case 32:
      return for_floats<kOperands>(step, number_from);
    case 64:
      return for_doubles<kOperands>(step, number_from);
    default:
      fail_unknown(step.instruction);
  }
}

/// Signs are bits: NaNs keep theirs.
void negate(const Step& step) {
  const u64 sign = u64{1} << (step.instruction.type.bits - 1);
  const bool flushes = step.instruction.flushes_denormals;
  for_bits<1>(step, [=](u64 a) { return (flushes ? flushed_bits(a) : a) ^ sign; });
}

void take_absolute(const Step& step) {
  const u64 mask = low_bits(step.instruction.type.bits - 1u);
  const bool flushes = step.instruction.flushes_denormals;
  for_bits<1>(step, [=](u64 a) { return (flushes ? flushed_bits(a) : a) & mask; });
}

/// A NaN is ignored if the other number is not one; -0 is below +0.
template <bool kIsMinimum>
void choose(const Step& step) {
  for_reals<2>(step, [](auto a, auto b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) == kIsMinimum ? a : b;
    return (kIsMinimum ? a < b : b < a) ? a : b;
  });
}

}  // namespace

void compute_reals(const Step& step) {
  const Instruction& i = step.instruction;
  switch (i.op) {
    case Op::add:
      return for_reals<2>(step, [](auto a, auto b) { return a + b; });
    case Op::sub:
      return for_reals<2>(step, [](auto a, auto b) { return a - b; });
    case Op::mul:
      return for_reals<2>(step, [](auto a, auto b) { return a * b; });
    case Op::fma:
      return for_reals<3>(step, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
    case Op::div:
      return for_reals<2>(step, [](auto a, auto b) { return a / b; });
    case Op::neg:
      return negate(step);
    case Op::abs_:
      return take_absolute(step);
    case Op::min:
      return choose<true>(step);
    case Op::max:
      return choose<false>(step);
    case Op::rcp:
      return for_reals<1>(step, [](auto a) { return decltype(a){1} / a; });
    case Op::sqrt:
      return for_reals<1>(step, [](auto a) { return std::sqrt(a); });
    // Approximations, which are rounded correctly here and only nearly on a GPU.
    case Op::rsqrt:
      return for_reals<1>(step, [](auto a) { return decltype(a){1} / std::sqrt(a); });
    case Op::ex2:
      return for_floats<1>(step, [](float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); });
    case Op::lg2:
      return for_floats<1>(step, [](float a) { return static_cast<float>(std::log2(static_cast<double>(a))); });
    default:
      fail_unknown(i);
  }
}

}  // namespace device_code
