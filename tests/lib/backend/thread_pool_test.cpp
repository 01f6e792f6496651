#include "backend/thread_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"

using octavo::backend::ThreadPool;

TEST_CASE("every piece is done once in each run", "[unit][backend]") {
  ThreadPool pool(4);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(run));
    pool.run(run, [&](std::int64_t piece) { ++done[static_cast<std::size_t>(piece)]; });
    for (const auto& count : done) REQUIRE(count == 1);
  }
}

TEST_CASE("several threads may use a pool at the same time", "[unit][backend]") {
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

namespace {

/// Returns only if three threads of the pool are in the run at the same time.
void meet_on_three_threads(ThreadPool& pool) {
  std::atomic<int> waiting = 0;
  pool.run(3, [&](std::int64_t) {
    for (++waiting; waiting < 3;) std::this_thread::yield();
  });
}

/// A pool of three threads that have all started. A starting thread allocates memory. Unlike glibc, AddressSanitizer
/// copies held allocator locks into a child of fork(), so the child could deadlock.
std::unique_ptr<ThreadPool> pool_at_work() {
  auto pool = std::make_unique<ThreadPool>(3);
  meet_on_three_threads(*pool);
  return pool;
}

/// Forks. Returns whether the pool works on three threads in the child.
bool child_works_on_three_threads(std::unique_ptr<ThreadPool>& pool) {
  const pid_t child = ::fork();
  if (child == 0) {
    // Reports only through the exit code: 0 if three threads worked and the pool could be destroyed.
    ::alarm(30);
    meet_on_three_threads(*pool);
    pool.reset();
    ::_exit(0);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a child process of fork() starts its own threads", "[unit][backend]") {
#if defined(__SANITIZE_THREAD__)
  OCTAVO_SKIP("ThreadSanitizer ends a child of fork() that starts threads");
#endif
  auto pool = pool_at_work();
  REQUIRE(child_works_on_three_threads(pool));
}

TEST_CASE("a child process of fork() uses all threads even if the parent was in a run", "[unit][backend]") {
#if defined(__SANITIZE_THREAD__)
  OCTAVO_SKIP("ThreadSanitizer ends a child of fork() that starts threads");
#endif
  auto pool = pool_at_work();
  std::atomic<bool> has_begun = false, may_end = false;
  std::jthread other([&] {
    pool->run(2, [&](std::int64_t) {
      has_begun = true;
      while (!may_end) std::this_thread::yield();
    });
  });
  while (!has_begun) std::this_thread::yield();
  const bool works = child_works_on_three_threads(pool);
  may_end = true;
  REQUIRE(works);
}
