#include "arrays/element.hpp"

#include <cmath>

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo::arrays;
using namespace octavo::test;

namespace {

template <typename Number>
std::vector<double> doubles(Element element, const std::vector<Number>& numbers) {
  const std::string bytes = bytes_of_numbers(numbers);
  std::vector<double> out(numbers.size());
  to_doubles(element, std::as_bytes(std::span(bytes)), out);
  return out;
}

}  // namespace

TEST_CASE("numbers of every type become doubles", "[unit][arrays]") {
  using Doubles = std::vector<double>;
  CHECK(doubles<std::uint8_t>(Element::uint8, {0, 255}) == Doubles{0, 255});
  CHECK(doubles<std::int8_t>(Element::int8, {-128, 127}) == Doubles{-128, 127});
  CHECK(doubles<std::uint16_t>(Element::uint16, {0xFFFF}) == Doubles{65'535});
  CHECK(doubles<std::int32_t>(Element::int32, {INT32_MIN}) == Doubles{-2147483648.0});
  CHECK(doubles<std::uint64_t>(Element::uint64, {std::uint64_t{1} << 63}) == Doubles{9223372036854775808.0});
  CHECK(doubles<float>(Element::float32, {0.5F}) == Doubles{0.5});
  CHECK(doubles<double>(Element::float64, {0.1}) == Doubles{0.1});
  CHECK(doubles<double>(Element::float64, {}).empty());
}

TEST_CASE("half floats are read as IEEE 754 defines them", "[unit][arrays]") {
  // 1, -2, the smallest subnormal 2^-24, the largest finite value 65504, infinity.
  const auto numbers = doubles<std::uint16_t>(Element::float16, {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00, 0x7C01});
  CHECK(numbers[0] == 1.0);
  CHECK(numbers[1] == -2.0);
  CHECK(numbers[2] == std::ldexp(1.0, -24));
  CHECK(numbers[3] == 65504.0);
  CHECK(numbers[4] == INFINITY);
  CHECK(std::isnan(numbers[5]));
}

TEST_CASE("the bytes of each number are reversed", "[unit][arrays]") {
  const auto turned = [](Element element, std::string bytes) {
    swap_bytes(element, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  };
  CHECK(turned(Element::uint8, "abcd") == "abcd");
  CHECK(turned(Element::int16, "abcd") == "badc");
  CHECK(turned(Element::float32, "abcdefgh") == "dcbahgfe");
  CHECK(turned(Element::float64, "abcdefgh") == "hgfedcba");
  CHECK(turned(Element::float64, "").empty());
}
