// Reads that follow one another.
#include "remote/read_ahead.hpp"
#include "catch.hpp"

using namespace octavo::remote;

TEST_CASE("what follows a sequence of reads is fetched once", "[unit][remote]") {
  ReadAhead ahead;
  CHECK(!ahead.note(1000, 100));
  std::int64_t fetched = 1200;
  for (std::int64_t at = 1100; at < 20'000; at += 100) {
    const auto range = ahead.note(at, 100);
    if (!range) continue;
    CHECK(range->offset == fetched);
    fetched = range->offset + range->bytes;
    CHECK(fetched > at + 100);
  }
  // At most 64 reads ahead.
  CHECK(fetched > 20'000);
  CHECK(fetched <= 20'000 + 64 * 100);
}

TEST_CASE("threads that read blocks out of order are one sequence", "[unit][remote]") {
  ReadAhead ahead;
  CHECK(!ahead.note(2000, 1000));
  const auto range = ahead.note(0, 1000);  // the block before it, by another thread
  REQUIRE(range);
  CHECK(range->offset == 3000);
}

TEST_CASE("reads at random places are no sequence", "[unit][remote]") {
  ReadAhead ahead;
  for (std::int64_t i = 0; i < 100; ++i) CHECK(!ahead.note((i * 7919 % 100) * 1'000'000, 3072));
}

TEST_CASE("sequences next to each other do not disturb each other", "[unit][remote]") {
  ReadAhead ahead;
  int fetched = 0;
  for (std::int64_t i = 0; i < 50; ++i) {
    fetched += ahead.note(i * 1'000'000, 1'000'000) ? 1 : 0;
    fetched += ahead.note(1'000'000'000 + i * 500, 500) ? 1 : 0;
  }
  CHECK(fetched >= 6);
}
