#include "support/checked_math.hpp"

#include <limits>

#include "catch.hpp"

using octavo::checked_product;
using octavo::checked_sum;

TEST_CASE("a product of sizes that fits in 63 bits is returned", "[unit][support]") {
  REQUIRE(checked_product({3, 5, 7}) == 105);
  REQUIRE(checked_product({0, std::numeric_limits<std::int64_t>::max()}) == 0);
  REQUIRE(checked_product({std::int64_t{1} << 31, std::int64_t{1} << 31}) == std::int64_t{1} << 62);
}

TEST_CASE("a product of sizes that overflows or has a negative factor is refused", "[unit][support]") {
  REQUIRE_FALSE(checked_product({std::int64_t{1} << 32, std::int64_t{1} << 31}));
  REQUIRE_FALSE(checked_product({-1, -1}));
}

TEST_CASE("a sum of sizes that overflows is refused", "[unit][support]") {
  REQUIRE(checked_sum(1, 2) == 3);
  REQUIRE_FALSE(checked_sum(std::numeric_limits<std::int64_t>::max(), 1));
  REQUIRE_FALSE(checked_sum(-1, 5));
}
