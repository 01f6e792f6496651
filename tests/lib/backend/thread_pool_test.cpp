#include "backend/thread_pool.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"

using octavo::backend::ThreadPool;

TEST_CASE("every piece is done once, run after run", "[unit][backend]") {
  ThreadPool pool(4);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(run));
    pool.run(run, [&](std::int64_t piece) { ++done[static_cast<std::size_t>(piece)]; });
    for (const auto& count : done) REQUIRE(count == 1);
  }
}

TEST_CASE("several threads may use a pool at once", "[unit][backend]") {
  ThreadPool pool(3);
  std::atomic<std::int64_t> sum = 0;
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int run = 0; run < 50; ++run) pool.run(10, [&](std::int64_t piece) { sum += piece; });
    });
  }
  callers.clear();
  REQUIRE(sum == 4 * 50 * 45);
}
