#include "kernels/affine.hpp"

#include "catch.hpp"
#include "gather_cases.hpp"

using namespace octavo::kernels;

TEST_CASE("all 256 codes decode to the exact product and sum, rounded once", "[unit][kernels]") {
  const Affine maps[] = {{1.0f / 128, 0.0f}, {1.0f / 255, 128.0f / 255}, {0.0171247538f, 2.2489e-8f},
                         {-3.1f, 1e6f},      {1e-38f, 1e-38f},           {1e30f, -1e30f}};
  for (const Affine map : maps) {
    for (int code = -128; code < 128; ++code) {
      REQUIRE(decode(static_cast<std::int8_t>(code), map) ==
              octavo::test::exact_value(static_cast<std::int8_t>(code), map));
    }
  }
}

TEST_CASE("one rounding differs from two", "[unit][kernels]") {
  // 3 * 0.1f = 0.30000001192...; after adding -0.3f, one rounding and two give different floats.
  const Affine map{0.1f, -0.3f};
  const float unfused = 3.0f * 0.1f;
  REQUIRE(decode(3.0f, map) != unfused + -0.3f);
}

TEST_CASE("a uint8 source centered on its mean folds to the classic recipe", "[unit][kernels]") {
  // (u8 - m) / 128 with u8 = code + 128: scale 1/128, shift (128 - m) / 128.
  const Affine map = fold({1.0, 0.0}, 72.0, 128.0);
  REQUIRE(map.scale == 0.0078125f);
  REQUIRE(map.shift == 0.4375f);
}

TEST_CASE("folding keeps the quantization of other sources", "[unit][kernels]") {
  // source = 0.5 (code + 128) - 10; centered on 4, divided by 2: 0.25 code + (64 - 10 - 4) / 2.
  const Affine map = fold({0.5, -10.0}, 4.0, 2.0);
  REQUIRE(map.scale == 0.25f);
  REQUIRE(map.shift == 25.0f);
}

TEST_CASE("the pooled sum weighs each channel with its quantization", "[unit][kernels]") {
  const std::int64_t sums[] = {100, 7};
  const Quantization quantization[] = {{1.0, 0.0}, {2.0, 3.0}};
  REQUIRE(pooled_sum(sums, quantization, 2, 5) == 100.0 + 2.0 * 7 + 3.0 * 5);
}
