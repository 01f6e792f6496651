// Kills the packer at every call that changes the disk, and at random times.
#include <signal.h>

#include <chrono>
#include <map>
#include <random>
#include <span>
#include <thread>

#include "catch.hpp"
#include "effort.hpp"
#include "export_scene.hpp"
#include "faulty_program.hpp"
#include "pack_scene.hpp"
#include "tally.hpp"

using namespace octavo::test;
namespace faults = octavo::faults;

namespace {

/// The problem after the packer was killed, or empty. Checks the files, then packs again if `packs_again`.
std::string problem_after_kill(const PackScene& scene, bool packs_again = true) {
  if (auto problem = scene.problem_with_target(); !problem.empty()) return problem;
  for (const std::string& name : names_in(scene.folder())) {
    if (name.starts_with("data.h5")) continue;
    return "unexpected file " + name;
  }
  return packs_again ? scene.problem_with_next_pack() : "";
}

/// Kills the packer at the first, second, ... call of these kinds until a run completes. Except in a nightly run, kills
/// it at every second call after those that create files, and packs again only after every third kill, because the
/// files left behind change less often.
void kill_at_every_call(const PackScene& scene, std::uint32_t calls, faults::Action action, Tally& tally) {
  constexpr std::int64_t kPackAgainEvery = 3, kFirstCalls = 20;
  for (std::int64_t at = 1;; at += is_night() || at < kFirstCalls ? place_step(4) : place_step(2) * 2) {
    scene.reset();
    const auto outcome = run_with_fault(scene.arguments(), {calls, action, 0, at, false, scene.folder()});
    if (!outcome.has_failed) {
      REQUIRE(outcome.exit_code == 0);
      return;
    }
    const bool packs_again = is_night() || at % kPackAgainEvery == 1;
    const std::string problem =
        outcome.exit_code == -SIGKILL ? problem_after_kill(scene, packs_again) : "it was not killed";
    tally.add(problem.empty() ? "" : problem + ", killed at " + outcome.description());
  }
}

/// The time that an uninterrupted run takes.
std::int64_t microseconds_of(const std::vector<std::string>& arguments) {
  const auto start = std::chrono::steady_clock::now();
  RunningProgram(arguments).wait();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count() + 1;
}

/// Kills runs at random times within the time that the same arguments take, so that most are killed before they end.
class RandomKills {
 public:
  /// Returns whether the run was killed before it ended. Resets the scene before each run.
  template <typename Scene>
  bool kill(const Scene& scene, const std::vector<std::string>& arguments, std::mt19937_64& random) {
    auto [whole_us, is_new] = microseconds_.try_emplace(arguments);
    if (is_new) {
      scene.reset();
      whole_us->second = microseconds_of(arguments);
    }
    scene.reset();
    RunningProgram program(arguments);
    std::this_thread::sleep_for(std::chrono::microseconds(below(random, whole_us->second)));
    program.send(SIGKILL);
    return program.wait().exit_code == -SIGKILL;
  }

 private:
  std::map<std::vector<std::string>, std::int64_t> microseconds_;
};

/// Kills packers of these scenes, with 1 to 4 threads, at random times.
void kill_packers_at_random_times(std::span<const PackScene> scenes, std::int64_t count, Tally& tally) {
  RandomKills kills;
  std::int64_t killed_count = 0;
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    const PackScene& scene = scenes[static_cast<std::size_t>(below(random, std::ssize(scenes)))];
    const auto arguments = scene.arguments(1 + static_cast<int>(below(random, 4)));
    killed_count += kills.kill(scene, arguments, random) ? 1 : 0;
    const std::string problem = problem_after_kill(scene);
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i));
  }
  INFO(killed_count << " were killed before they ended");
  CHECK(killed_count * 4 > tally.count());
  CHECK(tally.failures() == kNone);
}

}  // namespace

TEST_CASE("a packer killed at any call leaves the old or the complete new file and the next pack works",
          "[faults][kill][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  for (const PackKind kind : kPackKinds) {
    const PackScene scene(kind);
    Tally tally(std::string("5 kill -9 at every changing call, ") + to_text(kind));
    kill_at_every_call(scene, faults::kChangingCalls, faults::Action::kill, tally);
    kill_at_every_call(scene, faults::bit(faults::Call::write), faults::Action::kill_half_way, tally);
    CHECK(tally.count() > 10);
    CHECK(tally.failures() == kNone);
  }
}

TEST_CASE("a packer killed at a random time leaves the old or the complete new file and the next pack works",
          "[faults][kill][plain-only]") {
  const PackScene scenes[] = {PackScene(PackKind::fresh, 8000), PackScene(PackKind::replacing, 8000),
                              PackScene(PackKind::skipping, 200)};
  Tally tally("5 kill -9 at a random time, 1 to 4 threads", true);
  kill_packers_at_random_times(scenes, case_count(30, 2000), tally);
}

TEST_CASE("pack --append or reindex or repack killed at a random time leave the old or the complete new file",
          "[faults][kill][plain-only]") {
  const PackScene scenes[] = {PackScene(PackKind::appending, 8000), PackScene(PackKind::reindexing, 8000),
                              PackScene(PackKind::repacking, 8000)};
  Tally tally("5 kill -9 at a random time, pack --append, reindex and repack", true);
  kill_packers_at_random_times(scenes, case_count(30, 2000), tally);
}

TEST_CASE("an export killed at a random time leaves a folder that is complete or refused",
          "[faults][kill][export][plain-only]") {
  const ExportScene scenes[] = {ExportScene("png", 1000), ExportScene("npy", 8000)};
  Tally tally("5 kill -9 at a random time, export", true);
  RandomKills kills;
  std::int64_t killed_count = 0;
  const std::int64_t count = case_count(20, 2000);
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    const ExportScene& scene = scenes[below(random, 2)];
    killed_count += kills.kill(scene, scene.arguments(), random) ? 1 : 0;
    const std::string problem = scene.problem_with_target();
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i));
  }
  INFO(killed_count << " were killed before they ended");
  CHECK(killed_count * 4 > tally.count());
  CHECK(tally.failures() == kNone);
}
