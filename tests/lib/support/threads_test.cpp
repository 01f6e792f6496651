#include "support/threads.hpp"

#include <atomic>
#include <stdexcept>

#include "catch.hpp"

TEST_CASE("every thread runs its piece of the work once", "[unit][support]") {
  std::atomic<int> sum = 0;
  octavo::run_on_threads(4, [&](int index) { sum += 1 << index; });
  REQUIRE(sum == 0b1111);
}

TEST_CASE("an exception in a thread is rethrown after all threads have ended", "[unit][support]") {
  std::atomic<int> ended = 0;
  REQUIRE_THROWS_AS(octavo::run_on_threads(3,
                                           [&](int index) {
                                             ++ended;
                                             if (index == 2) throw std::runtime_error("two");
                                           }),
                    std::runtime_error);
  REQUIRE(ended == 3);
}

TEST_CASE("at least one thread is available", "[unit][support]") {
  REQUIRE(octavo::available_threads() >= 1);
  REQUIRE(octavo::resolve_thread_count(7) == 7);
}
