// Overflow-checked 64-bit products and sums, for sizes from untrusted input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace octavo {

/// Returns the product of non-negative factors, or nothing if a factor is negative or the product exceeds 63 bits.
inline std::optional<std::int64_t> checked_product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

/// Returns the size in bytes of an array with these axes, or nothing in the same cases as checked_product().
inline std::optional<std::int64_t> checked_array_bytes(std::span<const std::int64_t> axes, std::size_t element_bytes) {
  std::optional<std::int64_t> bytes = static_cast<std::int64_t>(element_bytes);
  for (const std::int64_t axis : axes) {
    if (bytes) bytes = checked_product({*bytes, axis});
  }
  return bytes;
}

/// Returns a + b for non-negative values, or nothing if one is negative or the sum exceeds 63 bits.
inline std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace octavo
