// Instructions that compute a value from registers: for each lane, and which bits of the result are undefined.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "machine/bit_operations.hpp"
#include "machine/conversions.hpp"
#include "machine/machine.hpp"
#include "machine/undefined_bits.hpp"

namespace device_code {
namespace {

[[noreturn]] void fail_unknown(const Instruction& i) {
  throw std::runtime_error("PTX line " + std::to_string(i.ptx_line) + ": the machine does not know \"" + i.text + "\"");
}

// ---- Numbers in registers ----------------------------------------------------------------------

template <typename Number>
Number number_of(u64 bits) {
  if constexpr (std::is_same_v<Number, float>)
    return std::bit_cast<float>(static_cast<u32>(bits));
  else if constexpr (std::is_same_v<Number, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<Number>(bits);
}

/// Every NaN that float32 arithmetic makes is the same one.
u64 bits_of(float value) { return std::isnan(value) ? 0x7FFFFFFFu : std::bit_cast<u32>(value); }
u64 bits_of(double value) { return std::bit_cast<u64>(value); }
template <typename Number>
u64 bits_of(Number value) {
  return static_cast<std::make_unsigned_t<Number>>(value);
}

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
/// The bits of a float32, of which a denormal one becomes zero.
u64 flushed_bits(u64 bits) { return (bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits; }
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

// ---- Loops over lanes --------------------------------------------------------------------------

/// The value of an operand in a lane: of a predicate, or one of `values`.
u64 value_in(const Step& step, const Operand& operand, const Lanes& values, u32 lane) {
  const bool is_predicate =
      operand.kind == Operand::Kind::reg && step.fragment.function->register_bits[operand.value] == 1;
  return is_predicate ? step.warp.registers.predicate(step.register_of(operand)) >> lane & 1 : values[lane];
}

/// Marks what is undefined in the result `to`, before the operands may be overwritten.
void mark_undefined(const Step& step, const Operand& to) {
  u32 lanes = 0;
  for (const Operand& operand : step.instruction.from) lanes |= Machine::undefined_lanes(step, operand);
  lanes &= step.lanes;
  const std::size_t reg = step.register_of(to);
  if (lanes == 0) return step.warp.registers.define(reg, step.lanes);
  const unsigned bits = step.fragment.function->register_bits[to.value];
  std::array<Lanes, 4> spaces;
  std::array<const Lanes*, 4> values{};
  for (std::size_t k = 0; k < step.instruction.from.size() && k < 4; ++k) {
    values[k] = &step.machine.values(step, step.instruction.from[k], spaces[k]);
  }
  for_each_lane(step.lanes, [&](u32 lane) {
    std::array<OperandBits, 4> operands;
    for (std::size_t k = 0; k < 4 && values[k] != nullptr; ++k) {
      const Operand& operand = step.instruction.from[k];
      operands[k] = {value_in(step, operand, *values[k], lane), Machine::undefined_bits(step, operand, lane)};
    }
    step.warp.registers.set_undefined_bits(reg, lane, undefined_result(step.instruction, bits, operands));
  });
}

/// Sets the result of each lane to bits_from(a, b, c), of up to three operands as bits.
template <int kOperands, typename BitsFrom>
void for_bits(const Step& step, const BitsFrom& bits_from) {
  const Instruction& i = step.instruction;
  if (i.to.size() != 1 || i.from.size() < kOperands) fail_unknown(i);
  mark_undefined(step, i.to[0]);
  Lanes spaces[3];
  const Lanes* operands[3] = {};
  for (std::size_t k = 0; k < kOperands; ++k) operands[k] = &step.machine.values(step, i.from[k], spaces[k]);
  u64* const to = step.warp.registers.values(step.register_of(i.to[0])).data();
  const u64* const a = operands[0]->data();
  const u64* const b = kOperands > 1 ? operands[1]->data() : nullptr;
  const u64* const c = kOperands > 2 ? operands[2]->data() : nullptr;
  const auto result = [&](u32 lane) -> u64 {
    if constexpr (kOperands == 1)
      return bits_from(a[lane]);
    else if constexpr (kOperands == 2)
      return bits_from(a[lane], b[lane]);
    else
      return bits_from(a[lane], b[lane], c[lane]);
  };
  if (step.lanes != kAllLanes) return for_each_lane(step.lanes, [&](u32 lane) { to[lane] = result(lane); });
#pragma GCC ivdep
  for (u32 lane = 0; lane < kWarpLanes; ++lane) to[lane] = result(lane);
}

/// The same for operands of a type of C++.
template <typename Number, int kOperands, typename NumberFrom>
void for_numbers(const Step& step, const NumberFrom& number_from) {
  for_bits<kOperands>(
      step, [&](auto... bits) { return bits_of(static_cast<Number>(number_from(number_of<Number>(bits)...))); });
}

/// Calls `visit` with a number of the integer type of the instruction.
template <typename Visit>
void with_integer(const Instruction& i, const Visit& visit) {
  const bool is_signed = i.type.is_signed();
  if (!i.type.is_integer() || i.saturates) fail_unknown(i);
  switch (i.type.bits) {
    case 16:
      return is_signed ? visit(std::int16_t{}) : visit(u16{});
    case 32:
      return is_signed ? visit(i32{}) : visit(u32{});
    case 64:
      return is_signed ? visit(i64{}) : visit(u64{});
    default:
      fail_unknown(i);
  }
}
/// For operations whose bits do not depend on the sign.
template <int kOperands, typename NumberFrom>
void for_unsigned(const Step& step, const NumberFrom& number_from) {
  with_integer(step.instruction,
               [&](auto number) { for_numbers<std::make_unsigned_t<decltype(number)>, kOperands>(step, number_from); });
}
template <int kOperands, typename NumberFrom>
void for_integers(const Step& step, const NumberFrom& number_from) {
  with_integer(step.instruction, [&](auto number) { for_numbers<decltype(number), kOperands>(step, number_from); });
}

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
  if (!step.instruction.type.is_real()) fail_unknown(step.instruction);
  switch (step.instruction.type.bits) {
    case 32:
      return for_floats<kOperands>(step, number_from);
    case 64:
      return for_doubles<kOperands>(step, number_from);
    default:
      fail_unknown(step.instruction);
  }
}

/// An operation that integers and reals have.
template <int kOperands, typename NumberFrom>
void for_unsigned_or_reals(const Step& step, const NumberFrom& number_from) {
  step.instruction.type.is_real() ? for_reals<kOperands>(step, number_from)
                                  : for_unsigned<kOperands>(step, number_from);
}

// ---- Predicates --------------------------------------------------------------------------------

u32 predicate_of(const Step& step, const Operand& operand) {
  if (operand.kind == Operand::Kind::constant) return operand.value != 0 ? kAllLanes : 0;
  return step.warp.registers.predicate(step.register_of(operand));
}

void set_predicate(const Step& step, const Operand& to, u32 value) {
  step.warp.registers.set_predicate(step.register_of(to), step.lanes, value);
}

/// Combines whole predicates: a bit for each lane.
void compute_predicate(const Step& step) {
  const Instruction& i = step.instruction;
  const u32 a = predicate_of(step, i.from[0]), b = i.from.size() > 1 ? predicate_of(step, i.from[1]) : 0;
  mark_undefined(step, i.to[0]);
  switch (i.op) {
    case Op::mov:
      return set_predicate(step, i.to[0], a);
    case Op::not_:
      return set_predicate(step, i.to[0], ~a);
    case Op::and_:
      return set_predicate(step, i.to[0], a & b);
    case Op::or_:
      return set_predicate(step, i.to[0], a | b);
    case Op::xor_:
      return set_predicate(step, i.to[0], a ^ b);
    default:
      fail_unknown(i);
  }
}

template <typename Number>
bool compare(Comparison comparison, Number a, Number b) {
  bool is_unordered = false;
  if constexpr (std::is_floating_point_v<Number>) is_unordered = std::isnan(a) || std::isnan(b);
  switch (comparison) {
    case Comparison::eq:
      return !is_unordered && a == b;
    case Comparison::ne:
      return !is_unordered && a != b;
    case Comparison::lt:
      return !is_unordered && a < b;
    case Comparison::le:
      return !is_unordered && a <= b;
    case Comparison::gt:
      return !is_unordered && a > b;
    case Comparison::ge:
      return !is_unordered && a >= b;
    case Comparison::equ:
      return is_unordered || a == b;
    case Comparison::neu:
      return is_unordered || a != b;
    case Comparison::ltu:
      return is_unordered || a < b;
    case Comparison::leu:
      return is_unordered || a <= b;
    case Comparison::gtu:
      return is_unordered || a > b;
    case Comparison::geu:
      return is_unordered || a >= b;
    case Comparison::num:
      return !is_unordered;
    case Comparison::nan:
      return is_unordered;
  }
  return false;
}

template <typename Number>
u32 compared(const Step& step) {
  const Instruction& i = step.instruction;
  Lanes spaces[2];
  const Lanes& a = step.machine.values(step, i.from[0], spaces[0]);
  const Lanes& b = step.machine.values(step, i.from[1], spaces[1]);
  u32 result = 0;
  for_each_lane(step.lanes, [&](u32 lane) {
    const auto number = [&](u64 bits) { return number_of<Number>(i.flushes_denormals ? flushed_bits(bits) : bits); };
    const bool is_true = compare(i.comparison, number(a[lane]), number(b[lane]));
    result |= static_cast<u32>(is_true) << lane;
  });
  return result;
}

void compute_comparison(const Step& step) {
  const Instruction& i = step.instruction;
  if (i.from.size() != 2) fail_unknown(i);
  u32 result = 0;
  if (i.type == Type{TypeKind::real, 32})
    result = compared<float>(step);
  else if (i.type == Type{TypeKind::real, 64})
    result = compared<double>(step);
  else
    with_integer(i, [&](auto number) { result = compared<decltype(number)>(step); });
  for (const Operand& to : i.to) {
    if (to.kind == Operand::Kind::reg) mark_undefined(step, to);
  }
  set_predicate(step, i.to[0], result);
  if (i.to.size() > 1 && i.to[1].kind == Operand::Kind::reg) set_predicate(step, i.to[1], ~result);
}

// ---- Moves -------------------------------------------------------------------------------------

/// mov.b32 %r1, {%rs1, %rs2}.
void pack(const Step& step) {
  const Instruction& i = step.instruction;
  const unsigned bits = i.type.bits / static_cast<unsigned>(i.from.size());
  Lanes values{}, undefined{};
  for (std::size_t k = 0; k < i.from.size(); ++k) {
    Lanes space;
    const Lanes& part = step.machine.values(step, i.from[k], space);
    for_each_lane(step.lanes, [&](u32 lane) {
      values[lane] |= (part[lane] & low_bits(bits)) << (k * bits);
      undefined[lane] |= (Machine::undefined_bits(step, i.from[k], lane) & low_bits(bits)) << (k * bits);
    });
  }
  const std::size_t reg = step.register_of(i.to[0]);
  for_each_lane(step.lanes, [&](u32 lane) {
    step.warp.registers.values(reg)[lane] = values[lane];
    step.warp.registers.set_undefined_bits(reg, lane, undefined[lane]);
  });
}

/// mov.b32 {%rs1, %rs2}, %r1.
void unpack(const Step& step) {
  const Instruction& i = step.instruction;
  const unsigned bits = i.type.bits / static_cast<unsigned>(i.to.size());
  Lanes space;
  const Lanes whole = step.machine.values(step, i.from[0], space);
  Lanes undefined{};
  for_each_lane(step.lanes, [&](u32 lane) { undefined[lane] = Machine::undefined_bits(step, i.from[0], lane); });
  for (std::size_t k = 0; k < i.to.size(); ++k) {
    if (i.to[k].kind != Operand::Kind::reg) continue;
    const std::size_t reg = step.register_of(i.to[k]);
    for_each_lane(step.lanes, [&](u32 lane) {
      step.warp.registers.values(reg)[lane] = whole[lane] >> (k * bits) & low_bits(bits);
      step.warp.registers.set_undefined_bits(reg, lane, undefined[lane] >> (k * bits) & low_bits(bits));
    });
  }
}

void move(const Step& step) {
  if (step.instruction.from.size() > 1) return pack(step);
  if (step.instruction.to.size() > 1) return unpack(step);
  for_bits<1>(step, [](u64 a) { return a; });
}

/// Between an address in a memory and the generic address of the same byte.
void convert_address(const Step& step) {
  const Instruction& i = step.instruction;
  const u64 window = i.space == Space::shared      ? kSharedWindow
                     : i.space == Space::local     ? kLocalWindow
                     : i.space == Space::parameter ? kParameterWindow
                                                   : 0;
  // Addresses of parameters have their window already.
  const u64 added = i.space == Space::parameter ? 0 : i.to_generic ? window : 0 - window;
  if (!i.to_generic) {
    Lanes space;
    const Lanes& addresses = step.machine.values(step, i.from[0], space);
    for_each_lane(step.lanes, [&](u32 lane) {
      const bool is_undefined = Machine::undefined_bits(step, i.from[0], lane) != 0;
      if (!is_undefined && window != 0 && (addresses[lane] & kWindowMask) != window) {
        step.machine.report(Fault::wrong_space, step, lane);
      }
    });
  }
  for_bits<1>(step, [added](u64 a) { return a + added; });
}

void select(const Step& step) {
  const Instruction& i = step.instruction;
  const u32 condition = predicate_of(step, i.from[2]);
  mark_undefined(step, i.to[0]);
  Lanes spaces[2];
  const Lanes& a = step.machine.values(step, i.from[0], spaces[0]);
  const Lanes& b = step.machine.values(step, i.from[1], spaces[1]);
  Lanes& to = step.warp.registers.values(step.register_of(i.to[0]));
  for_each_lane(step.lanes, [&](u32 lane) { to[lane] = (condition >> lane & 1) != 0 ? a[lane] : b[lane]; });
}

// ---- Arithmetic --------------------------------------------------------------------------------

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

/// The 128 bits of a product.
template <typename Number>
auto product(Number a, Number b) {
  using Wide = std::conditional_t<std::is_signed_v<Number>, i128, u128>;
  return static_cast<Wide>(a) * static_cast<Wide>(b);
}

/// The part of a product that an instruction names, as bits.
template <typename Number>
u64 product_part(Part part, Number a, Number b) {
  constexpr unsigned kBits = 8 * sizeof(Number);
  const auto whole = product(a, b);
  if (part == Part::wide) return static_cast<u64>(whole) & low_bits(2 * kBits);
  return static_cast<u64>(part == Part::high ? whole >> kBits : whole) & low_bits(kBits);
}

void multiply(const Step& step) {
  const Instruction& i = step.instruction;
  if (i.type.is_real()) return for_reals<2>(step, [](auto a, auto b) { return a * b; });
  if (i.part == Part::low) {
    return for_unsigned<2>(step, [](auto a, auto b) { return static_cast<u64>(a) * static_cast<u64>(b); });
  }
  with_integer(i, [&](auto number) {
    using Number = decltype(number);
    for_bits<2>(
        step, [part = i.part](u64 a, u64 b) { return product_part(part, number_of<Number>(a), number_of<Number>(b)); });
  });
}

void multiply_add(const Step& step) {
  const Instruction& i = step.instruction;
  const u64 mask = low_bits(i.part == Part::wide ? 2u * i.type.bits : i.type.bits);
  with_integer(i, [&](auto number) {
    using Number = decltype(number);
    for_bits<3>(step, [part = i.part, mask](u64 a, u64 b, u64 c) {
      return (product_part(part, number_of<Number>(a), number_of<Number>(b)) + c) & mask;
    });
  });
}

/// Reports a division by zero, whose result is unspecified.
void check_divisor(const Step& step) {
  const Instruction& i = step.instruction;
  Lanes space;
  const Lanes& divisors = step.machine.values(step, i.from[1], space);
  for_each_lane(step.lanes, [&](u32 lane) {
    if (divisors[lane] == 0) step.machine.report(Fault::division_by_zero, step, lane);
  });
}

void divide(const Step& step) {
  if (step.instruction.type.is_real()) return for_reals<2>(step, [](auto a, auto b) { return a / b; });
  check_divisor(step);
  for_integers<2>(step, [](auto a, auto b) {
    using Number = decltype(a);
    if (b == 0) return static_cast<Number>(-1);
    // The most negative number has no positive counterpart.
    if (std::is_signed_v<Number> && b == static_cast<Number>(-1)) return static_cast<Number>(0 - static_cast<u64>(a));
    return static_cast<Number>(a / b);
  });
}

void take_remainder(const Step& step) {
  check_divisor(step);
  for_integers<2>(step, [](auto a, auto b) {
    using Number = decltype(a);
    if (b == 0) return a;
    if (std::is_signed_v<Number> && b == static_cast<Number>(-1)) return Number{0};
    return static_cast<Number>(a % b);
  });
}

/// Signs of reals are bits: NaNs keep theirs.
void negate(const Step& step) {
  const Type type = step.instruction.type;
  if (!type.is_real()) return for_unsigned<1>(step, [](auto a) { return 0 - static_cast<u64>(a); });
  const u64 sign = u64{1} << (type.bits - 1);
  const bool flushes = step.instruction.flushes_denormals;
  for_bits<1>(step, [=](u64 a) { return (flushes ? flushed_bits(a) : a) ^ sign; });
}

void take_absolute(const Step& step) {
  const Type type = step.instruction.type;
  if (type.is_real()) {
    const u64 mask = low_bits(type.bits - 1u);
    const bool flushes = step.instruction.flushes_denormals;
    return for_bits<1>(step, [=](u64 a) { return (flushes ? flushed_bits(a) : a) & mask; });
  }
  for_integers<1>(step, [](auto a) { return a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a); });
}

/// A NaN is ignored if the other number is none; -0 is below +0.
template <bool kIsMinimum>
void choose(const Step& step) {
  const auto is_first = [](auto a, auto b) { return kIsMinimum ? a < b : b < a; };
  if (!step.instruction.type.is_real()) {
    return for_integers<2>(step, [&](auto a, auto b) { return is_first(b, a) ? b : a; });
  }
  for_reals<2>(step, [&](auto a, auto b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) == kIsMinimum ? a : b;
    return is_first(a, b) ? a : b;
  });
}

void shift_left(const Step& step) {
  const unsigned bits = step.instruction.type.bits;
  for_bits<2>(step, [bits](u64 a, u64 b) {
    const u64 count = b & 0xFFFFFFFFu;
    return count >= bits ? 0 : a << count & low_bits(bits);
  });
}

void shift_right(const Step& step) {
  const Type type = step.instruction.type;
  for_bits<2>(step, [type](u64 a, u64 b) {
    const u64 count = b & 0xFFFFFFFFu;
    if (!type.is_signed()) return count >= type.bits ? 0 : (a & type.mask()) >> count;
    const auto extended = static_cast<i64>(sign_extended(a, type.bits));
    return static_cast<u64>(extended >> std::min<u64>(count, type.bits - 1u)) & type.mask();
  });
}

void insert_field(const Step& step) {
  const Instruction& i = step.instruction;
  Lanes space;
  const Lanes lengths = step.machine.values(step, i.from.at(3), space);
  std::array<u64, kWarpLanes> results{};
  Lanes spaces[3];
  const Lanes& field = step.machine.values(step, i.from[0], spaces[0]);
  const Lanes& base = step.machine.values(step, i.from[1], spaces[1]);
  const Lanes& position = step.machine.values(step, i.from[2], spaces[2]);
  mark_undefined(step, i.to[0]);
  for_each_lane(step.lanes, [&](u32 lane) {
    results[lane] = inserted_field(field[lane], base[lane], position[lane], lengths[lane], i.type.bits);
  });
  Lanes& to = step.warp.registers.values(step.register_of(i.to[0]));
  for_each_lane(step.lanes, [&](u32 lane) { to[lane] = results[lane]; });
}

void count_bits(const Step& step) {
  const Type type = step.instruction.type;
  switch (step.instruction.op) {
    case Op::clz:
      return for_bits<1>(
          step, [type](u64 a) { return static_cast<u64>(std::countl_zero(a & type.mask())) - (64u - type.bits); });
    case Op::popc:
      return for_bits<1>(step, [type](u64 a) { return static_cast<u64>(std::popcount(a & type.mask())); });
    default:
      return for_bits<1>(step, [type](u64 a) { return reversed_bits(a, type.bits); });
  }
}

void add_products(const Step& step) {
  const Instruction& i = step.instruction;
  const bool is_a_signed = i.type.is_signed(), is_b_signed = i.from_type.is_signed();
  if (i.op == Op::dp4a) {
    return for_bits<3>(step, [=](u64 a, u64 b, u64 c) { return dot_product(a, b, c, 4, 8, is_a_signed, is_b_signed); });
  }
  const unsigned skipped_bits = i.part == Part::high ? 16 : 0;
  for_bits<3>(
      step, [=](u64 a, u64 b, u64 c) { return dot_product(a, b >> skipped_bits, c, 2, 16, is_a_signed, is_b_signed); });
}

/// A signed number repeats its sign in a register that is wider than its type.
u64 widened(Type type, u64 register_mask, u64 number) {
  return type.is_signed() ? sign_extended(number, type.bits) & register_mask : number;
}

void convert_integers(const Step& step, u64 register_mask) {
  const Type to = step.instruction.type, from = step.instruction.from_type;
  if (!to.is_signed() && !from.is_signed()) {
    return for_bits<1>(step, [mask = from.mask() & to.mask()](u64 a) { return a & mask; });
  }
  for_bits<1>(step, [=](u64 a) {
    const u64 number = from.is_signed() ? sign_extended(a, from.bits) : a & from.mask();
    return widened(to, register_mask, number & to.mask());
  });
}

void convert(const Step& step) {
  const Instruction& i = step.instruction;
  if (!is_known_conversion(i)) fail_unknown(i);
  if (i.from.size() > 1) {
    return for_bits<2>(step, [&](u64 a, u64 b) { return converted(i, a, b); });
  }
  const u64 register_mask = low_bits(step.fragment.function->register_bits[i.to.at(0).value]);
  if (i.type.is_integer() && i.from_type.is_integer()) return convert_integers(step, register_mask);
  Lanes space;
  const Lanes& values = step.machine.values(step, i.from[0], space);
  for_each_lane(step.lanes, [&](u32 lane) {
    if (is_out_of_range(i, values[lane]) && Machine::undefined_bits(step, i.from[0], lane) == 0) {
      step.machine.report(Fault::conversion_range, step, lane);
    }
  });
  for_bits<1>(step, [&](u64 a) { return widened(i.type, register_mask, converted(i, a, 0)); });
}

}  // namespace

void compute(const Step& step) {
  const Instruction& i = step.instruction;
  if (i.type.kind == TypeKind::predicate) return compute_predicate(step);
  switch (i.op) {
    case Op::mov:
      return move(step);
    case Op::createpolicy:
      return for_bits<1>(step, [](u64 a) { return a; });
    case Op::cvta:
      return convert_address(step);
    case Op::cvt:
      return convert(step);
    case Op::setp:
      return compute_comparison(step);
    case Op::selp:
      return select(step);
    case Op::add:
      return for_unsigned_or_reals<2>(step, [](auto a, auto b) { return a + b; });
    case Op::sub:
      return for_unsigned_or_reals<2>(step, [](auto a, auto b) { return a - b; });
    case Op::mul:
      return multiply(step);
    case Op::mad:
      return multiply_add(step);
    case Op::fma:
      return for_reals<3>(step, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
    case Op::div:
      return divide(step);
    case Op::rem:
      return take_remainder(step);
    case Op::neg:
      return negate(step);
    case Op::abs_:
      return take_absolute(step);
    case Op::min:
      return choose<true>(step);
    case Op::max:
      return choose<false>(step);
    case Op::and_:
      return for_bits<2>(step, [](u64 a, u64 b) { return a & b; });
    case Op::or_:
      return for_bits<2>(step, [](u64 a, u64 b) { return a | b; });
    case Op::xor_:
      return for_bits<2>(step, [](u64 a, u64 b) { return a ^ b; });
    case Op::not_:
      return for_unsigned<1>(step, [](auto a) { return ~static_cast<u64>(a); });
    case Op::shl:
      return shift_left(step);
    case Op::shr:
      return shift_right(step);
    case Op::bfi:
      return insert_field(step);
    case Op::bfe:
      return for_bits<3>(step, [type = i.type](u64 a, u64 b, u64 c) { return extracted_field(a, b, c, type); });
    case Op::clz:
    case Op::popc:
    case Op::brev:
      return count_bits(step);
    case Op::prmt:
      return for_bits<3>(step, [](u64 a, u64 b, u64 c) {
        return u64{permuted_bytes(static_cast<u32>(a), static_cast<u32>(b), static_cast<u32>(c))};
      });
    case Op::shf:
      return for_bits<3>(step, [to_right = i.shifts_right, clamps = i.clamps_shift](u64 a, u64 b, u64 c) {
        return u64{funnel_shifted(static_cast<u32>(a), static_cast<u32>(b), static_cast<u32>(c), to_right, clamps)};
      });
    case Op::dp2a:
    case Op::dp4a:
      return add_products(step);
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
