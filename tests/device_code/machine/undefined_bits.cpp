#include "machine/undefined_bits.hpp"

#include <algorithm>

#include "machine/bit_operations.hpp"

namespace device_code {
namespace {

/// All bits from the lowest undefined one on, because of carries.
u64 carried(u64 undefined) { return undefined | (~undefined + 1); }

bool is_zero(const OperandBits& operand, u64 mask) { return operand.undefined == 0 && (operand.value & mask) == 0; }

u64 shifted(const Instruction& i, const OperandBits& a, const OperandBits& b) {
  const u64 count = b.value & 0xFFFFFFFFu;
  const unsigned bits = i.type.bits;
  if (b.undefined != 0) return ~u64{0};
  if (i.op == Op::shl) return count >= bits ? 0 : a.undefined << count;
  if (!i.type.is_signed()) return count >= bits ? 0 : (a.undefined & i.type.mask()) >> count;
  return static_cast<u64>(static_cast<i64>(sign_extended(a.undefined, bits)) >> std::min<u64>(count, bits - 1));
}

u64 selected(const Instruction& i, const OperandBits& a, const OperandBits& b, const OperandBits& condition) {
  if (condition.undefined == 0) return condition.value != 0 ? a.undefined : b.undefined;
  const bool is_same = ((a.value ^ b.value) & i.type.mask()) == 0;
  return is_same ? a.undefined | b.undefined : ~u64{0};
}

/// A comparison for equality is defined where a defined bit differs.
u64 compared(const Instruction& i, const OperandBits& a, const OperandBits& b) {
  const bool is_equality = i.comparison == Comparison::eq || i.comparison == Comparison::ne;
  const u64 differing = (a.value ^ b.value) & ~(a.undefined | b.undefined) & i.type.mask();
  return i.type.is_real() || !is_equality || differing == 0 ? 1 : 0;
}

/// The undefined bits of an integer in a wider register, where the sign is repeated.
u64 extended(Type type, u64 undefined) {
  return type.is_signed() ? sign_extended(undefined, type.bits) : undefined & type.mask();
}

/// Each half of a pair is a conversion of its own. The second operand is the lower half.
u64 converted(const Instruction& i, const OperandBits& a, const OperandBits& b) {
  if (i.type.is_pair()) return (a.undefined != 0 ? 0xFFFF0000u : 0) | (b.undefined != 0 ? 0xFFFFu : 0);
  const bool keeps_bits = i.type.is_integer() && i.from_type.is_integer();
  return keeps_bits ? extended(i.type, extended(i.from_type, a.undefined)) : ~u64{0};
}

/// A bit is undefined if it depends on an undefined one.
u64 looked_up(const OperandBits& a, const OperandBits& b, const OperandBits& c, u64 table) {
  const u64 result = looked_up_bits(a.value, b.value, c.value, table);
  u64 differing = 0;
  for (unsigned k = 1; k < 8; ++k) {
    const auto flipped = [k](unsigned flag, const OperandBits& operand) {
      return (k & flag) != 0 ? operand.value ^ operand.undefined : operand.value;
    };
    differing |= result ^ looked_up_bits(flipped(4, a), flipped(2, b), flipped(1, c), table);
  }
  return differing;
}

u64 spread(const Instruction& i, unsigned result_bits, const std::array<OperandBits, 4>& operands, u64 any) {
  const auto& [a, b, c, d] = operands;
  switch (i.op) {
    case Op::mov:
    case Op::cvta:
    case Op::not_:
      return a.undefined;
    case Op::and_:
      return (a.undefined & b.undefined) | (a.undefined & b.value) | (b.undefined & a.value);
    case Op::or_:
      return (a.undefined & b.undefined) | (a.undefined & ~b.value) | (b.undefined & ~a.value);
    case Op::xor_:
      return a.undefined | b.undefined;
    case Op::shl:
    case Op::shr:
      return shifted(i, a, b);
    case Op::add:
    case Op::sub:
    case Op::neg:
      return i.type.is_real() ? ~u64{0} : carried(any);
    case Op::mul:
      if (!i.type.is_real() && (is_zero(a, i.type.mask()) || is_zero(b, i.type.mask()))) return 0;
      return i.type.is_real() || i.part == Part::high ? ~u64{0} : carried(any);
    case Op::mad:
      return i.part == Part::high ? ~u64{0} : carried(any);
    case Op::prmt:
      if (c.undefined != 0) return ~u64{0};
      return permuted_bytes(static_cast<u32>(a.undefined), static_cast<u32>(b.undefined), static_cast<u32>(c.value));
    case Op::shf:
      if (c.undefined != 0) return ~u64{0};
      return funnel_shifted(static_cast<u32>(a.undefined), static_cast<u32>(b.undefined), static_cast<u32>(c.value),
                            i.shifts_right, i.clamps_shift);
    case Op::lop3:
      return looked_up(a, b, c, d.value);
    case Op::bfi:
      if ((c.undefined | d.undefined) != 0) return ~u64{0};
      return inserted_field(a.undefined, b.undefined, c.value, d.value, result_bits);
    case Op::dp2a:
      // Uses two of the four bytes of b.
      return (a.undefined | c.undefined | (b.undefined & (i.part == Part::high ? 0xFFFF0000u : 0xFFFFu))) == 0
                 ? 0
                 : ~u64{0};
    case Op::cvt:
      return converted(i, a, b);
    case Op::selp:
      return selected(i, a, b, c);
    case Op::setp:
      return compared(i, a, b);
    default:
      return ~u64{0};
  }
}

}  // namespace

u64 undefined_result(const Instruction& i, unsigned result_bits, const std::array<OperandBits, 4>& operands) {
  const auto& [a, b, c, d] = operands;
  const u64 any = a.undefined | b.undefined | c.undefined | d.undefined;
  return any == 0 ? 0 : spread(i, result_bits, operands, any) & low_bits(result_bits);
}

}  // namespace device_code
