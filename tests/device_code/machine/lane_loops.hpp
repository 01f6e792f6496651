// Loops over the lanes of a step that compute its result, from operands as bits or as numbers of C++.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "machine/machine.hpp"

namespace device_code {

/// Throws std::runtime_error, which names the instruction.
[[noreturn]] void fail_unknown(const Instruction& i);

/// The number that the lowest bits of a register are.
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
inline u64 bits_of(float value) { return std::isnan(value) ? 0x7FFFFFFFu : std::bit_cast<u32>(value); }
inline u64 bits_of(double value) { return std::bit_cast<u64>(value); }
template <typename Number>
u64 bits_of(Number value) {
  return static_cast<std::make_unsigned_t<Number>>(value);
}

/// Marks what is undefined in the result `to`, before the operands may be overwritten.
void mark_undefined(const Step& step, const Operand& to);

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
#ifndef __clang__
#pragma GCC ivdep
#endif
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

/// Sets the result of each lane, for operations whose bits do not depend on the sign.
template <int kOperands, typename NumberFrom>
void for_unsigned(const Step& step, const NumberFrom& number_from) {
  with_integer(step.instruction,
               [&](auto number) { for_numbers<std::make_unsigned_t<decltype(number)>, kOperands>(step, number_from); });
}
/// Sets the result of each lane, from numbers of the instruction's type.
template <int kOperands, typename NumberFrom>
void for_integers(const Step& step, const NumberFrom& number_from) {
  with_integer(step.instruction, [&](auto number) { for_numbers<decltype(number), kOperands>(step, number_from); });
}

}  // namespace device_code
