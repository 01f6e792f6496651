// Several processes with one cache. Children only read, compare and exit; the parent has no other threads.
#include <octavo/cached_source.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "cache_files.hpp"
#include "catch.hpp"
#include "counted_source.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// Runs `work` in a child, which exits with 0 if it returns true.
pid_t fork_with(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  bool is_right = false;
  try {
    is_right = work();
  } catch (...) {
  }
  ::_exit(is_right ? 0 : 1);
}

int exit_status_of(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

bool reads_at_random(const ByteSource& source, const CountedSource& plain, unsigned seed, int count) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    if (!reads_a_random_range(source, plain, random, 200'000)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("processes that fill one cache at once read the right bytes, and the next one fetches nothing",
          "[unit][cache]") {
  const TemporaryFolder folder;
  const CacheOptions options{folder.path(), kPlenty};
  const auto plain = std::make_shared<CountedSource>(50 * kBlock + 77);
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 4; ++seed) {
    children.push_back(fork_with([&, seed] {
      const auto source = cached(plain, options);
      return reads_at_random(*source, *plain, seed, 100) && source->problem().empty() &&
             source->statistics().damaged_blocks == 0 && reads_the_bytes_of(*source, *plain, 0, plain->length());
    }));
  }
  for (const pid_t child : children) REQUIRE(exit_status_of(child) == 0);
  const auto source = cached(plain, options);
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, plain->length()));
  REQUIRE(source->statistics().fetched_blocks == 0);
}

TEST_CASE("processes that fill one cache with many files keep its size within the limit", "[unit][cache]") {
  const TemporaryFolder folder;
  const CacheOptions options{folder.path(), 60 * kBlock};
  std::vector<pid_t> children;
  for (unsigned number = 0; number < 4; ++number) {
    children.push_back(fork_with([&, number] {
      for (unsigned round = 0; round < 4; ++round) {
        const auto plain = std::make_shared<CountedSource>(25 * kBlock, number);
        plain->set_name(std::to_string(number) + " " + std::to_string(round));
        const auto source = cached(plain, options);
        for (unsigned step = 0; step < 10; ++step) {
          if (!reads_at_random(*source, *plain, step, 5)) return false;
          if (cache_bytes_in(folder.path()) > options.most_bytes) return false;
        }
        if (!source->problem().empty()) return false;
      }
      return true;
    }));
  }
  for (const pid_t child : children) REQUIRE(exit_status_of(child) == 0);
  REQUIRE(cache_bytes_in(folder.path()) > options.most_bytes / 2);
}

TEST_CASE("a child of fork uses the source of its parent, also while threads of the parent read", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(30 * kBlock);
  const auto source = cached(plain, {folder.path(), kPlenty});
  REQUIRE(reads_the_bytes_of(*source, *plain, 0, 3 * kBlock));
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::atomic<bool> stops = false;
    // The child must find a free lock and no claims, wherever this thread is. It neither allocates nor takes a lock of
    // the test itself, which fork() could leave taken.
    std::vector<std::byte> out(100);
    std::jthread reader([&] {
      std::mt19937_64 random(seed);
      std::vector<std::byte> mine(100);
      while (!stops) source->read_at(static_cast<std::int64_t>(random() % 29) * kBlock, mine);
    });
    const pid_t child = fork_with([&] {
      for (std::int64_t block = 0; block < 3; ++block) {
        source->read_at(block * kBlock + 5, out);
        if (!std::equal(out.begin(), out.end(), plain->bytes().begin() + block * kBlock + 5)) return false;
      }
      return true;
    });
    REQUIRE(exit_status_of(child) == 0);
    stops = true;
  }
}

TEST_CASE("a child of fork does not wait for a fetch of its parent's thread", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(3 * kBlock);
  const auto source = cached(plain, {folder.path(), kPlenty});
  std::atomic<bool> has_begun = false, may_end = false;
  plain->before_read = [&] {
    has_begun = true;
    may_end.wait(false);
  };
  std::vector<std::byte> out(100), mine(100);
  std::jthread reader([&] { source->read_at(kBlock, mine); });
  while (!has_begun) std::this_thread::yield();
  const pid_t child = fork_with([&] {
    ::alarm(20);  // ends a child that waits
    plain->before_read = {};
    source->read_at(kBlock, out);
    return std::equal(out.begin(), out.end(), plain->bytes().begin() + kBlock);
  });
  const int status = exit_status_of(child);
  may_end = true;
  may_end.notify_all();
  REQUIRE(status == 0);
}

TEST_CASE("a process killed while it fetches leaves nothing that others wait for", "[unit][cache]") {
  const TemporaryFolder folder;
  const auto plain = std::make_shared<CountedSource>(20 * kBlock);
  const auto source = cached(plain, {folder.path(), kPlenty});
  for (int at = 0; at < 10; ++at) {
    int left = at;
    plain->before_read = [&] {
      if (left-- == 0) ::raise(SIGKILL);
    };
    const pid_t child = fork_with([&] { return reads_at_random(*source, *plain, static_cast<unsigned>(at), 50); });
    const int status = exit_status_of(child);
    REQUIRE((status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)));
    plain->before_read = {};
    REQUIRE(reads_at_random(*source, *plain, static_cast<unsigned>(at), 5));
  }
  REQUIRE(source->problem().empty());
}
