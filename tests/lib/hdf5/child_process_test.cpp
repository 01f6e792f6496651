#include "hdf5/child_process.hpp"

#include <signal.h>
#include <unistd.h>

#include <octavo/errors.hpp>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using octavo::hdf5::ChildOutput;
using octavo::hdf5::ChildProcess;

TEST_CASE("messages of a child arrive in order and then its end", "[unit][archive]") {
  ChildProcess child(
      [](const ChildOutput& output) {
        output.send('a', "first");
        output.send('b', "");
        output.send('c', std::string(1'000'000, 'x'));
      },
      {});
  REQUIRE(child.receive(100)->bytes == "first");
  REQUIRE(child.receive(100)->kind == 'b');
  REQUIRE(child.receive(1'000'000)->bytes.size() == 1'000'000);
  REQUIRE_FALSE(child.receive(100));
}

TEST_CASE("an exception in a child arrives as a message", "[unit][archive]") {
  ChildProcess child([](const ChildOutput&) { throw std::runtime_error("no good"); }, {});
  const auto message = child.receive(100);
  REQUIRE(message->kind == ChildProcess::kFailure);
  REQUIRE(message->bytes == "no good");
}

TEST_CASE("a child that crashes is one error", "[unit][archive]") {
  ChildProcess child([](const ChildOutput&) { ::kill(::getpid(), SIGSEGV); }, {});
  REQUIRE_THROWS_AS(child.receive(100), octavo::FormatError);
}

TEST_CASE("a child that crashes in the middle of a message is one error", "[unit][archive]") {
  ChildProcess child(
      [](const ChildOutput& output) {
        output.send('a', "x");
        ::_exit(3);
      },
      {});
  REQUIRE(child.receive(100)->bytes == "x");
  REQUIRE_THROWS_WITH(child.receive(100), ContainsSubstring("failed"));
}

TEST_CASE("a child that hangs is killed", "[unit][archive]") {
  ChildProcess child([](const ChildOutput&) { ::pause(); }, {.silent_seconds = 1});
  REQUIRE_THROWS_WITH(child.receive(100), ContainsSubstring("hangs"));
}

TEST_CASE("a child that computes forever is killed", "[unit][archive]") {
  ChildProcess child(
      [](const ChildOutput&) {
        while (true) static_cast<void>(::getppid());
      },
      {.cpu_seconds = 1, .silent_seconds = 60});
  REQUIRE_THROWS_AS(child.receive(100), octavo::FormatError);
}

TEST_CASE("a child that sends too much data is refused", "[unit][archive]") {
  ChildProcess child([](const ChildOutput& output) { output.send('a', std::string(101, 'x')); }, {});
  REQUIRE_THROWS_WITH(child.receive(100), ContainsSubstring("too much data"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a child cannot use more memory than its limit", "[unit][archive]") {
  ChildProcess child(
      [](const ChildOutput& output) {
        const std::vector<char> much(std::size_t{256} << 20);
        output.send('a', std::to_string(much.size()));
      },
      {.memory_bytes = 64 << 20});
  REQUIRE(child.receive(100)->kind == ChildProcess::kFailure);
}
#endif
