#include "arrays/element.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace octavo::arrays {
namespace {

/// IEEE 754 binary16.
double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1F) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

}  // namespace

std::int64_t bytes_of(Element element) {
  return visit_element(element, [](auto number) { return static_cast<std::int64_t>(sizeof number); });
}

std::string name_of(Element element) {
  switch (element) {
    case Element::boolean:
      return "bool";
    case Element::int8:
      return "int8";
    case Element::uint8:
      return "uint8";
    case Element::int16:
      return "int16";
    case Element::uint16:
      return "uint16";
    case Element::int32:
      return "int32";
    case Element::uint32:
      return "uint32";
    case Element::int64:
      return "int64";
    case Element::uint64:
      return "uint64";
    case Element::float16:
      return "float16";
    case Element::float32:
      return "float32";
    case Element::float64:
      break;
  }
  return "float64";
}

bool is_integer(Element element) {
  return element != Element::float16 && element != Element::float32 && element != Element::float64;
}

void to_doubles(Element element, std::span<const std::byte> bytes, std::span<double> out) {
  visit_element(element, [&](auto number) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
      if constexpr (std::is_same_v<decltype(number), std::uint16_t>) {
        out[i] = element == Element::float16 ? half_to_double(number) : number;
      } else {
        out[i] = static_cast<double>(number);
      }
    }
  });
}

void swap_bytes(Element element, std::span<std::byte> bytes) {
  const auto width = static_cast<std::size_t>(bytes_of(element));
  for (std::size_t at = 0; width > 1 && at < bytes.size(); at += width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
}

}  // namespace octavo::arrays
