// Arithmetic of integers, and operations on bits.
#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "machine/bit_operations.hpp"
#include "machine/compute.hpp"
#include "machine/lane_loops.hpp"

namespace device_code {
namespace {

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

}  // namespace

void compute_integers(const Step& step) {
  const Instruction& i = step.instruction;
  switch (i.op) {
    case Op::add:
      return for_unsigned<2>(step, [](auto a, auto b) { return a + b; });
    case Op::sub:
      return for_unsigned<2>(step, [](auto a, auto b) { return a - b; });
    case Op::mul:
      return multiply(step);
    case Op::mad:
      return multiply_add(step);
    case Op::div:
      return divide(step);
    case Op::rem:
      return take_remainder(step);
    case Op::neg:
      return for_unsigned<1>(step, [](auto a) { return 0 - static_cast<u64>(a); });
    case Op::abs_:
      return for_integers<1>(step, [](auto a) { return a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a); });
    case Op::min:
      return for_integers<2>(step, [](auto a, auto b) { return std::min(a, b); });
    case Op::max:
      return for_integers<2>(step, [](auto a, auto b) { return std::max(a, b); });
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
    case Op::bmsk:
      return for_bits<2>(step, [clamps = i.clamps_shift](u64 a, u64 b) {
        return u64{mask_of_bits(static_cast<u32>(a), static_cast<u32>(b), clamps)};
      });
    case Op::lop3: {
      Lanes space;
      const u64 table = step.machine.values(step, i.from.at(3), space)[0];  // a constant
      return for_bits<3>(step, [table](u64 a, u64 b, u64 c) { return looked_up_bits(a, b, c, table); });
    }
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
    default:
      fail_unknown(i);
  }
}

}  // namespace device_code
