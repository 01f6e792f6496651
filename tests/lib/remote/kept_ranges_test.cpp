// Ranges that were requested before they are read.
#include "remote/kept_ranges.hpp"
#include "catch.hpp"

using namespace octavo::remote;

namespace {

std::shared_ptr<Fetch> fetch_of(std::int64_t offset, std::int64_t bytes, Fetch::State state = Fetch::State::done) {
  auto fetch = std::make_shared<Fetch>(nullptr, offset, bytes);
  fetch->state = state;
  return fetch;
}

}  // namespace

TEST_CASE("a read is divided into what is kept and what is not", "[unit][remote]") {
  KeptRanges kept(1000);
  const auto first = fetch_of(10, 10), second = fetch_of(30, 5);
  REQUIRE(kept.keep(first));
  REQUIRE(kept.keep(second));
  const auto parts = kept.divide(5, 40);  // 5-10, 10-20, 20-30, 30-35, 35-45
  REQUIRE(parts.size() == 5);
  CHECK(parts[0].bytes == 5);
  CHECK(!parts[0].kept);
  CHECK(parts[1].kept == first);
  CHECK(parts[2].offset == 20);
  CHECK(!parts[2].kept);
  CHECK(parts[3].kept == second);
  CHECK(parts[4].bytes == 10);
  const auto inside = kept.divide(12, 3);
  REQUIRE(inside.size() == 1);
  CHECK(inside[0].kept == first);
  CHECK(kept.divide(20, 10).size() == 1);
  CHECK(kept.divide(20, 0).empty());
}

TEST_CASE("a range that was read is removed", "[unit][remote]") {
  KeptRanges kept(1000);
  const auto fetch = fetch_of(0, 100);
  REQUIRE(kept.keep(fetch));
  kept.take(*fetch, 60);
  CHECK(kept.bytes() == 100);
  kept.take(*fetch, 40);
  CHECK(kept.bytes() == 0);
}

TEST_CASE("the oldest range that nobody read makes room", "[unit][remote]") {
  KeptRanges kept(100);
  const auto oldest = fetch_of(500, 40), used = fetch_of(0, 30), running = fetch_of(200, 30, Fetch::State::running);
  REQUIRE(kept.keep(used));
  kept.begin_use(*used);
  REQUIRE(kept.keep(oldest));
  REQUIRE(kept.keep(running));
  REQUIRE(kept.keep(fetch_of(300, 40)));  // instead of the oldest
  CHECK(!kept.divide(500, 1)[0].kept);
  CHECK(kept.bytes() == 100);
  // Those that are in use or on their way stay.
  CHECK(!kept.keep(fetch_of(400, 80)));
  CHECK(kept.divide(0, 1)[0].kept == used);
  CHECK(kept.divide(200, 1)[0].kept == running);
  kept.end_use(*used);
  CHECK(kept.keep(fetch_of(400, 70)));
  CHECK(!kept.divide(0, 1)[0].kept);
}
