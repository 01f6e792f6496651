#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

TEST_CASE("rows are consecutive or have gaps between them", "[unit][arrays]") {
  const bool is_sequential = GENERATE(false, true);
  const std::string bytes = "HAA-BB-CC";
  const auto array = array_in_stream("\"a\"", is_sequential ? sequential(bytes) : stream_of(bytes),
                                     {.axes = {3, 2}, .offset = 1, .row_stride = 3});
  CHECK(array->is_random_access() == !is_sequential);
  CHECK(rows(*array, 0, 3) == "AABBCC");
  CHECK(rows(*array, 2, 1) == "CC");
  CHECK(rows(*array, 1, 1) == "BB");
  CHECK(rows(*array, 3, 0).empty());
}

TEST_CASE("a stream that is too short or too long for its array is refused before it is read", "[unit][arrays]") {
  CHECK_THROWS_WITH(array_of("AABBC", {.axes = {3, 2}}), ContainsSubstring("declares 3 x 2 numbers of 1 bytes"));
  CHECK_THROWS_WITH(array_of("AABBCCD", {.axes = {3, 2}}), ContainsSubstring("7 bytes follow it"));
  CHECK_NOTHROW(array_of("AABBCCD", {.axes = {3, 2}, .ends_stream = false}));
  CHECK_NOTHROW(array_of("AABBCC", {.axes = {3, 2}}));
  CHECK_THROWS_AS(array_of("AA-BB-C", {.axes = {3, 2}, .row_stride = 3}), FormatError);
  // The last row would end beyond 63 bits.
  CHECK_THROWS_AS(array_of("AA", {.axes = {2, 2}, .row_stride = INT64_MAX}), FormatError);
}

TEST_CASE("an inflated stream with data after the last row is refused when that row is read", "[unit][arrays]") {
  const auto array = array_in_stream("\"a\"", sequential("AABBCCD"), {.axes = {3, 2}});
  CHECK(rows(*array, 0, 2) == "AABB");
  CHECK_THROWS_WITH(rows(*array, 2, 1), ContainsSubstring("more bytes"));
}

TEST_CASE("an array in Fortran order is transposed from any kind of stream", "[unit][arrays]") {
  const bool is_sequential = GENERATE(false, true);
  // Number [i, j, k] of [3, 2, 2] is 100 i + 10 j + k; the first axis varies fastest.
  std::vector<std::uint16_t> stored, wanted;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 3; ++i) stored.push_back(static_cast<std::uint16_t>(100 * i + 10 * j + k));
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 2; ++k) wanted.push_back(static_cast<std::uint16_t>(100 * i + 10 * j + k));
    }
  }
  const std::string bytes = "head" + bytes_of_numbers(stored);
  const auto array =
      array_in_stream("\"a\"", is_sequential ? sequential(bytes) : stream_of(bytes),
                      {.element = Element::uint16, .axes = {3, 2, 2}, .is_fortran_order = true, .offset = 4});
  CHECK(array->is_random_access());
  CHECK(numbers_in<std::uint16_t>(rows(*array, 0, 3)) == wanted);
  CHECK(numbers_in<std::uint16_t>(rows(*array, 1, 1)) ==
        std::vector<std::uint16_t>(wanted.begin() + 4, wanted.begin() + 8));
}

TEST_CASE("numbers of the opposite byte order are reversed in both orders", "[unit][arrays]") {
  const std::string bytes("\0\1\0\2\0\3\0\4", 8);
  const bool is_fortran = GENERATE(false, true);
  const auto array = array_of(
      bytes, {.element = Element::uint16, .axes = {2, 2}, .is_big_endian = true, .is_fortran_order = is_fortran});
  const std::vector<std::uint16_t> turned = {1, 3, 2, 4}, plain = {1, 2, 3, 4};
  CHECK(numbers_in<std::uint16_t>(rows(*array, 0, 2)) == (is_fortran ? turned : plain));
}
