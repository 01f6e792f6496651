#include "progress_bar.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// What `work` writes to stderr, which is not a terminal meanwhile.
template <typename Work>
std::string written_to_stderr(const Work& work) {
  const TemporaryFolder folder;
  const int before = ::dup(STDERR_FILENO);
  REQUIRE(std::freopen((folder / "stderr").c_str(), "w", stderr) != nullptr);
  work();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::ifstream file(folder / "stderr");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A clock that advances only when told to.
class SteppedClock {
 public:
  auto function() {
    return [this] { return now_; };
  }
  void advance(std::chrono::milliseconds by) { now_ += by; }

 private:
  tools::ProgressBar::Clock::time_point now_;
};

}  // namespace

TEST_CASE("without a terminal a long stage writes a line every 10 percent", "[unit][tools]") {
  const std::string text = written_to_stderr([] {
    SteppedClock clock;
    tools::ProgressBar bar(false, clock.function());
    const ProgressFunction report = bar.function();
    report({"packing train", 0, 1000, 0, 0});
    report({"packing train", 100, 1000, 0, 0});
    clock.advance(std::chrono::milliseconds(1050));
    report({"packing train", 350, 1000, 0, 0});
    report({"packing train", 380, 1000, 0, 0});
    report({"packing train", 400, 1000, 0, 0});
  });
  CHECK_THAT(text, !ContainsSubstring("10 %") && ContainsSubstring("octavo: packing train: 35 %") &&
                       !ContainsSubstring("38 %") && ContainsSubstring("octavo: packing train: 40 %"));
}

TEST_CASE("without a terminal stages of less than a second write nothing", "[unit][tools]") {
  const std::string text = written_to_stderr([] {
    SteppedClock clock;
    tools::ProgressBar bar(false, clock.function());
    const ProgressFunction report = bar.function();
    for (const char* stage : {"packing train", "packing test"}) {
      report({stage, 0, 1000, 0, 0});
      clock.advance(std::chrono::milliseconds(990));
      report({stage, 1000, 1000, 0, 0});
    }
  });
  CHECK(text.empty());
}

TEST_CASE("a quiet bar shows no progress", "[unit][tools]") {
  const std::string text = written_to_stderr([] {
    SteppedClock clock;
    tools::ProgressBar bar(true, clock.function());
    const ProgressFunction report = bar.function();
    report({"packing train", 0, 1000, 0, 0});
    clock.advance(std::chrono::milliseconds(1050));
    report({"packing train", 1000, 1000, 0, 0});
  });
  CHECK(text.empty());
}
