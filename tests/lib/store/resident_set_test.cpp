// Resident samples that are not the first ones.
#include "store/resident_set.hpp"

#include "catch.hpp"
#include "store/staging/placed_batch.hpp"

using namespace octavo;
using store::ResidentSet;

TEST_CASE("the samples of ranges have slots in order", "[unit][store]") {
  const ResidentSet resident({{2, 3}, {5, 0}, {7, 1}});
  REQUIRE(resident.count() == 4);
  const std::optional<std::int64_t> none;
  const std::optional<std::int64_t> slots[] = {none, none, 0, 1, 2, none, none, 3, none};
  for (std::int64_t row = 0; row < 9; ++row) REQUIRE(resident.slot_of(row) == slots[row]);
  REQUIRE(ResidentSet({{0, 0}}).count() == 0);
  REQUIRE_FALSE(ResidentSet().slot_of(0).has_value());
}

TEST_CASE("a batch names the samples that must be staged", "[unit][store]") {
  const store::BatchRows batch{{7, 0, 3, 0, 9}, {}, {}};
  const store::PlacedBatch placed = place(batch, ResidentSet({{2, 3}, {7, 1}}));
  // Slots 0 to 3 are samples 2, 3, 4 and 7; what is staged comes after them.
  REQUIRE(placed.rows.rows == std::vector<std::int64_t>{3, 4, 1, 5, 6});
  REQUIRE(placed.staged == std::vector<std::int64_t>{0, 0, 9});
  REQUIRE(placed.rows.indices == batch.rows);
}
