#include "kernels/intrinsics.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "reference_float16.hpp"

using namespace octavo::kernels;

namespace {

/// Floats whose bits are multiples of an odd stride. They include all exponents, both signs, NaN and infinity.
template <typename Check>
void for_many_floats(Check check) {
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 977) {
    check(float_of(static_cast<std::uint32_t>(bits)));
  }
}

}  // namespace

TEST_CASE("float16 bits are those of the nearest value with ties to even", "[unit][kernels]") {
  for_many_floats([](float value) {
    const std::uint16_t actual = to_float16_bits(value);
    if (std::isnan(value)) {
      if ((actual & 0x7FFF) <= 0x7C00) FAIL("not a NaN");
    } else if (actual != reference_float16_bits(value)) {
      FAIL("value " << value);
    }
  });
}

TEST_CASE("float16 ties go to even and too large values become infinity", "[unit][kernels]") {
  REQUIRE(to_float16_bits(1.0f) == 0x3C00);
  REQUIRE(to_float16_bits(1.0f + 1.0f / 2048) == 0x3C00);  // a tie, down to even
  REQUIRE(to_float16_bits(1.0f + 3.0f / 2048) == 0x3C02);  // a tie, up to even
  REQUIRE(to_float16_bits(65519.0f) == 0x7BFF);
  REQUIRE(to_float16_bits(65520.0f) == 0x7C00);
  REQUIRE(to_float16_bits(-std::numeric_limits<float>::infinity()) == 0xFC00);
  REQUIRE(to_float16_bits(std::ldexp(1.0f, -24)) == 0x0001);  // smallest subnormal
  REQUIRE(to_float16_bits(std::ldexp(1.0f, -25)) == 0x0000);  // half of it, to even
  REQUIRE(to_float16_bits(std::ldexp(1.5f, -25)) == 0x0001);
  REQUIRE(to_float16_bits(-0.0f) == 0x8000);
}

TEST_CASE("bfloat16 bits are those of the nearest value with ties to even", "[unit][kernels]") {
  for_many_floats([](float value) {
    const std::uint16_t actual = to_bfloat16_bits(value);
    if (std::isnan(value)) {
      if ((actual & 0x7FFF) <= 0x7F80) FAIL("not a NaN");
      return;
    }
    // The neighbors below and above in magnitude: expect the nearer one, or the even one in a tie.
    const std::uint32_t below = bits_of(value) & 0xFFFF0000u;
    const std::uint32_t rest = bits_of(value) & 0xFFFFu;
    const bool up = rest > 0x8000u || (rest == 0x8000u && (below & 0x10000u) != 0);
    if (actual != static_cast<std::uint16_t>((below >> 16) + (up ? 1 : 0))) FAIL("value " << value);
  });
}

TEST_CASE("the bytes of a word are signed codes", "[unit][kernels]") {
  const std::uint32_t word = 0x80FF017Fu;  // 127, 1, -1, -128
  REQUIRE(flipped_code(flip_signs(word), 0) == 127.0f);
  REQUIRE(flipped_code(flip_signs(word), 1) == 1.0f);
  REQUIRE(flipped_code(flip_signs(word), 2) == -1.0f);
  REQUIRE(flipped_code(flip_signs(word), 3) == -128.0f);
  REQUIRE(add_codes_in_word(word, 10) == 10 + 127 + 1 - 1 - 128);
}

TEST_CASE("pairs of codes are weighted", "[unit][kernels]") {
  const std::uint32_t word = 0x80FF017Fu;     // 127, 1, -1, -128
  const std::uint32_t weights = 0xFFFE4000u;  // 16384, -2
  REQUIRE(add_weighted_codes(weights, word, false, 5) == 5 + 16384 * 127 - 2 * 1);
  REQUIRE(add_weighted_codes(weights, word, true, 5) == 5 - 16384 - 2 * -128);
}

TEST_CASE("multiply_high gives the upper half of a product", "[unit][kernels]") {
  REQUIRE(multiply_high(0xFFFFFFFFu, 0xFFFFFFFFu) == 0xFFFFFFFEu);
  REQUIRE(multiply_high(1u << 31, 2) == 1);
  REQUIRE(multiply_high(1u << 31, 1) == 0);
}

TEST_CASE("bytes are permuted and joined as on the device", "[unit][kernels]") {
  REQUIRE(permute_bytes(0x33221100u, 0x77665544u, 0x7610) == 0x77661100u);
  REQUIRE(permute_bytes(0x33221100u, 0x77665544u, 0x0123) == 0x00112233u);
  REQUIRE(bytes_from(0x33221100u, 0x77665544u, 0) == 0x33221100u);
  REQUIRE(bytes_from(0x33221100u, 0x77665544u, 3) == 0x66554433u);
}

TEST_CASE("pairs of half values equal their single values", "[unit][kernels]") {
  REQUIRE(to_float16_pair(1.0f, -2.0f) == 0xC0003C00u);
  REQUIRE(to_bfloat16_pair(1.0f, -2.0f) == 0xC0003F80u);
}
