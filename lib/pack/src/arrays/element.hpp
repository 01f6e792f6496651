// The element types of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace octavo::arrays {

enum class Element {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
};

/// The number of bytes per element.
std::int64_t bytes_of(Element element);
/// "uint8", "float32": NumPy's name.
std::string name_of(Element element);
bool is_integer(Element element);  ///< bool counts as one

/// Calls visit(Number{}) with the C++ type of `element`; for float16, with std::uint16_t, which holds its bits.
template <typename Visit>
decltype(auto) visit_element(Element element, const Visit& visit) {
  switch (element) {
    case Element::boolean:
    case Element::uint8:
      return visit(std::uint8_t{});
    case Element::int8:
      return visit(std::int8_t{});
    case Element::int16:
      return visit(std::int16_t{});
    case Element::uint16:
    case Element::float16:
      return visit(std::uint16_t{});
    case Element::int32:
      return visit(std::int32_t{});
    case Element::uint32:
      return visit(std::uint32_t{});
    case Element::int64:
      return visit(std::int64_t{});
    case Element::uint64:
      return visit(std::uint64_t{});
    case Element::float32:
      return visit(float{});
    case Element::float64:
      break;
  }
  return visit(double{});
}

/// Converts the numbers in `bytes` to doubles, exactly except for 64-bit integers beyond 2^53. `out` has one element
/// per number.
void to_doubles(Element element, std::span<const std::byte> bytes, std::span<double> out);

/// Swaps the bytes of each number, between big-endian and little-endian.
void swap_bytes(Element element, std::span<std::byte> bytes);

}  // namespace octavo::arrays
