#include <octavo/batch_spec.hpp>
#include <octavo/errors.hpp>
#include <octavo/order.hpp>

#include "catch.hpp"

using octavo::BatchSpec;

TEST_CASE("presets are the well-known recipes", "[unit][store]") {
  REQUIRE(describe(BatchSpec::preset("default")) == "(x - dataset mean) / 128");
  REQUIRE(describe(BatchSpec::preset("unit")) == "(x - 0) / 255, x the stored uint8");
  REQUIRE(describe(BatchSpec::preset("standard")) == "(x - channel means) / standard deviation");
  REQUIRE(BatchSpec::preset("imagenet").center_values.at(0) == 0.485 * 255);
  for (const octavo::PresetInfo& info : octavo::kPresets) REQUIRE_NOTHROW(BatchSpec::preset(info.name));
  REQUIRE_THROWS_WITH(BatchSpec::preset("zscore"), ContainsSubstring("default, unit, standard or imagenet"));
}

TEST_CASE("a position beyond the last sample is not in the order", "[unit][store]") {
  REQUIRE(octavo::shuffled_sample(0, 0, 0, 1) == 0);
  REQUIRE_THROWS_AS(octavo::shuffled_sample(0, 0, 5, 5), octavo::InvalidArgument);
  REQUIRE_THROWS_AS(octavo::shuffled_sample(0, 0, -1, 5), octavo::InvalidArgument);
}
