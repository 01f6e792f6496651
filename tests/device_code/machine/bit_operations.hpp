// Operations on bits that C++ has no operator for, as the PTX ISA defines them.
#pragma once

#include <algorithm>

#include "ptx/instruction.hpp"

namespace device_code {

/// The value whose lowest `bits` bits are those of `value`, and whose other bits repeat its sign.
constexpr u64 sign_extended(u64 value, unsigned bits) {
  if (bits >= 64) return value;
  const u64 sign = u64{1} << (bits - 1);
  return ((value & low_bits(bits)) ^ sign) - sign;
}

/// The bits of a float32; a denormal number becomes zero.
constexpr u64 flushed_bits(u64 bits) { return (bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits; }

/// prmt: picks four bytes of b:a by the digits of the selector; the high bit of a digit repeats the byte's sign.
constexpr u32 permuted_bytes(u32 a, u32 b, u32 selector) {
  const u64 both = u64{b} << 32 | a;
  u32 result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const u32 digit = selector >> (4 * k) & 15;
    u32 byte = static_cast<u32>(both >> (8 * (digit & 7)) & 0xFF);
    if ((digit & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    result |= byte << (8 * k);
  }
  return result;
}

/// shf: shifts b:a, and keeps the low word of a shift to the right and the high word of one to the left.
constexpr u32 funnel_shifted(u32 a, u32 b, u32 count, bool to_right, bool clamps) {
  const u32 shift = clamps ? std::min(count, 32u) : count & 31;
  const u64 both = u64{b} << 32 | a;
  return static_cast<u32>(to_right ? both >> shift : both << shift >> 32);
}

/// bfi: puts the lowest `length` bits of `field` into `base` from bit `position` on.
constexpr u64 inserted_field(u64 field, u64 base, u64 position, u64 length, unsigned bits) {
  position &= 0xFF;
  length &= 0xFF;
  if (position >= bits || length == 0) return base;
  const u64 mask = low_bits(static_cast<unsigned>(std::min<u64>(length, bits - position))) << position;
  return (base & ~mask) | (field << position & mask);
}

/// bfe: the `length` bits from `position` on. In signed numbers, the highest of these bits, or of `a` if they reach
/// beyond it, is repeated.
inline u64 extracted_field(u64 a, u64 position, u64 length, Type type) {
  position &= 0xFF;
  length &= 0xFF;
  const u64 most = type.bits - 1u;
  const u64 sign = type.is_signed() && length != 0 ? a >> std::min(position + length - 1, most) & 1 : 0;
  u64 result = sign != 0 ? ~u64{0} : 0;
  for (u64 k = 0; k < length && k <= most; ++k) {
    const u64 bit = position + k <= most ? a >> (position + k) & 1 : sign;
    result = (result & ~(u64{1} << k)) | bit << k;
  }
  return result & type.mask();
}

/// bmsk: the `length` bits from `position` on.
constexpr u32 mask_of_bits(u32 position, u32 length, bool clamps) {
  position = clamps ? std::min(position, 32u) : position & 31;
  length = clamps ? std::min(length, 32u) : length & 31;
  return static_cast<u32>(((u64{1} << length) - 1) << position);
}

/// lop3: bit 4 x + 2 y + z of `table`, for the bits x, y and z of the operands.
constexpr u64 looked_up_bits(u64 a, u64 b, u64 c, u64 table) {
  u64 result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1) != 0) result |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
  }
  return result & 0xFFFFFFFFu;
}

/// brev.
constexpr u64 reversed_bits(u64 value, unsigned bits) {
  u64 result = 0;
  for (unsigned k = 0; k < bits; ++k) result |= (value >> k & 1) << (bits - 1 - k);
  return result;
}

/// dp4a and dp2a: adds to `c` the products of `count` parts of `a`, of `part_bits` bits, and as many bytes of `b`.
constexpr u64 dot_product(u64 a, u64 b, u64 c, unsigned count, unsigned part_bits, bool is_a_signed, bool is_b_signed) {
  u64 sum = c;
  for (unsigned k = 0; k < count; ++k) {
    const u64 p = a >> (part_bits * k) & low_bits(part_bits), q = b >> (8 * k) & 0xFF;
    sum += (is_a_signed ? sign_extended(p, part_bits) : p) * (is_b_signed ? sign_extended(q, 8) : q);
  }
  return sum & 0xFFFFFFFFu;
}

}  // namespace device_code
