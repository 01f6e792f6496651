#include "kernels/order_cursor.hpp"

#include <vector>

#include "catch.hpp"

using namespace octavo::kernels;

namespace {

/// The rows at the next `count` positions.
std::vector<std::int64_t> rows_of(const OrderCursor& cursor, std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t place = 0; place < count; ++place) {
    const OrderRange range = range_at(cursor, place);
    rows.push_back(permute(*range.key, range.position));
  }
  return rows;
}

/// The rows at these positions of an epoch over 10 samples with seed 5.
std::vector<std::int64_t> rows_at(std::uint64_t epoch, const std::vector<std::int64_t>& positions) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t position : positions) rows.push_back(permute(make_order_key(10, 5, epoch, true), position));
  return rows;
}

}  // namespace

TEST_CASE("a cursor walks whole batches in each epoch", "[unit][kernels]") {
  // 10 samples make 3 batches of 3; the tenth is left out.
  OrderCursor cursor = make_order_cursor(10, 5, true, 3, {0, 3}, 0, 0);
  REQUIRE(cursor.batches_per_epoch == 3);
  for (const std::uint64_t epoch : {0u, 1u, 2u}) {
    for (const std::int64_t step : {0, 1, 2}) {
      REQUIRE(cursor.epoch == static_cast<std::int64_t>(epoch));
      REQUIRE(cursor.step == step);
      REQUIRE(rows_of(cursor, 3) == rows_at(epoch, {3 * step, 3 * step + 1, 3 * step + 2}));
      advance(cursor, 1);
    }
  }
}

TEST_CASE("several batches from a cursor continue into the next epoch", "[unit][kernels]") {
  const OrderCursor cursor = make_order_cursor(10, 5, true, 3, {0, 3}, 7, 2);
  std::vector<std::int64_t> expected = rows_at(7, {6, 7, 8});
  for (const std::int64_t row : rows_at(8, {0, 1, 2})) expected.push_back(row);
  REQUIRE(rows_of(cursor, 6) == expected);
}

TEST_CASE("a rank's cursor draws its share of every batch", "[unit][kernels]") {
  // In batches of 5, rank 1 of 2 draws positions 2, 3 and 4.
  const BatchShare share = batch_share(5, 1, 2);
  REQUIRE(share.first == 2);
  REQUIRE(share.end == 5);
  const OrderCursor cursor = make_order_cursor(10, 5, true, 5, share, 0, 0);
  REQUIRE(rows_of(cursor, 6) == rows_at(0, {2, 3, 4, 7, 8, 9}));
}

TEST_CASE("a cursor advanced by an epoch is at the same step of the next one", "[unit][kernels]") {
  OrderCursor cursor = make_order_cursor(10, 5, true, 3, {0, 3}, 0, 1);
  advance(cursor, 3);
  REQUIRE(cursor.epoch == 1);
  REQUIRE(cursor.step == 1);
  REQUIRE(rows_of(cursor, 3) == rows_at(1, {3, 4, 5}));
}
