// Products and sums of sizes that come from outside: checked in 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace octavo {

/// The product of non-negative factors, or nothing if a factor is negative or the product does not fit 63 bits.
inline std::optional<std::int64_t> checked_product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

/// The bytes of an array with such axes, or nothing as checked_product() says.
inline std::optional<std::int64_t> checked_array_bytes(std::span<const std::int64_t> axes, std::size_t element_bytes) {
  std::optional<std::int64_t> bytes = static_cast<std::int64_t>(element_bytes);
  for (const std::int64_t axis : axes) {
    if (bytes) bytes = checked_product({*bytes, axis});
  }
  return bytes;
}

/// a + b for non-negative values, or nothing if one is negative or the sum does not fit 63 bits.
inline std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace octavo
