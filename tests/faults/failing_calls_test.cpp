// The k-th call of a kind fails, for k = 1, 2, ... until the work succeeds.
#include <errno.h>

#include <cstring>

#include "../lib/dataset_file/small_file.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "export_scene.hpp"
#include "faulty_program.hpp"
#include "pack_scene.hpp"
#include "tally.hpp"

using namespace octavo::test;
using octavo::faults::bit;
using octavo::faults::Call;
namespace faults = octavo::faults;

namespace {

/// How the program must handle a failure.
enum class Expected {
  error,    ///< a one-line error, exit code 1, nothing left behind
  success,  ///< the program repeats the call and succeeds
  either,   ///< the program may not need the call
};

/// A way in which calls fail.
struct Failure {
  const char* name;
  Call call;
  faults::Action action;
  int error_number;
  bool from_then_on;
  Expected expected;
  int turn = 0;  ///< index among the `turns` failures that the same code handles; see next_call()
  int turns = 1;
};

/// The next call to fail after the `at`-th one. A nightly run tries every call. Otherwise, failures that take turns
/// share every fourth call. The first calls, which create files and folders, fail in all ways.
std::int64_t next_call(std::int64_t at, const Failure& failure) {
  constexpr std::int64_t kInAllWays = 8;
  constexpr std::int64_t kStep = 4, kSanitizedStep = 37;
  if (place_step(kSanitizedStep) > 1) return at + kSanitizedStep;
  std::int64_t next = at + 1;
  while (!is_night() && next > kInAllWays && next % (kStep * failure.turns) != kStep * failure.turn) ++next;
  return next;
}

constexpr Failure kWriting[] = {
    {"write ENOSPC", Call::write, faults::Action::fail, ENOSPC, true, Expected::error, 0, 3},
    {"write EIO", Call::write, faults::Action::fail, EIO, false, Expected::error, 1, 3},
    {"write EDQUOT", Call::write, faults::Action::fail, EDQUOT, false, Expected::error, 2, 3},
    {"write EINTR", Call::write, faults::Action::fail, EINTR, false, Expected::success},
    {"short write", Call::write, faults::Action::cut_short, 0, false, Expected::success, 0, 2},
    {"short writes from then on", Call::write, faults::Action::cut_short, 0, true, Expected::success, 1, 2},
    {"fsync EIO", Call::sync, faults::Action::fail, EIO, false, Expected::error},
    {"rename EIO", Call::rename, faults::Action::fail, EIO, false, Expected::error},
    {"rename EACCES", Call::rename, faults::Action::fail, EACCES, false, Expected::error},
    {"fallocate ENOSPC", Call::allocate, faults::Action::fail, ENOSPC, false, Expected::error},
    {"fallocate EINTR", Call::allocate, faults::Action::fail, EINTR, false, Expected::success},
    {"ftruncate EIO", Call::truncate, faults::Action::fail, EIO, false, Expected::error},
    {"unlink EIO", Call::remove, faults::Action::fail, EIO, false, Expected::either},
};

// HDF5 opens a file twice, and succeeds if only the first attempt fails.
constexpr Failure kReading[] = {
    {"open EMFILE", Call::open, faults::Action::fail, EMFILE, false, Expected::either},
    {"open EACCES", Call::open, faults::Action::fail, EACCES, false, Expected::either},
    {"open EIO from then on", Call::open, faults::Action::fail, EIO, true, Expected::error},
    {"read EIO", Call::read, faults::Action::fail, EIO, false, Expected::error},
    {"read EINTR", Call::read, faults::Action::fail, EINTR, false, Expected::success},
    {"short read", Call::read, faults::Action::cut_short, 0, false, Expected::success, 0, 2},
    {"short reads from then on", Call::read, faults::Action::cut_short, 0, true, Expected::success, 1, 2},
};

/// Makes the first, second, ... call fail in this way until a run succeeds without a fault. `prepare` is called before
/// each run, and `problem_of` returns what is wrong after it.
template <typename Prepare, typename Problem>
void fail_every_call(const std::string& work, const std::vector<std::string>& arguments, const Failure& failure,
                     const std::filesystem::path& within, const Prepare& prepare, const Problem& problem_of) {
  Tally tally("7 " + work + ", " + failure.name);
  for (std::int64_t at = 1;; at = next_call(at, failure)) {
    prepare();
    const auto outcome = run_with_fault(
        arguments, {bit(failure.call), failure.action, failure.error_number, at, failure.from_then_on, within});
    if (!outcome.has_failed) {
      INFO(outcome.description());
      REQUIRE(outcome.exit_code == 0);
      break;
    }
    const bool is_done = outcome.exit_code == 0 && outcome.descriptors_left == 0;
    std::string problem;
    if (failure.expected == Expected::error && !outcome.is_clean_error()) problem = "not a clean error";
    if (failure.expected == Expected::success && !is_done) problem = "the program did not succeed";
    if (failure.expected == Expected::either && !is_done && !outcome.is_clean_error()) problem = "neither outcome";
    if (problem.empty()) problem = problem_of(outcome);
    tally.add(problem.empty() ? "" : problem + " at " + outcome.description());
  }
  CHECK(tally.failures() == kNone);
}

/// After success, the complete new file must be there. After an error, the old file must be there, or the new one if
/// only the sync of its folder failed. Nothing else may be left, unless removing files is what failed.
std::string problem_after_pack(const PackScene& scene, const FaultyOutcome& outcome, Call failing) {
  const bool may_leave = failing == Call::remove;
  if (auto problem = may_leave ? scene.problem_with_target() : scene.problem_after_error(); !problem.empty()) {
    return problem;
  }
  if (outcome.exit_code == 0 && !scene.has_new()) return "success was reported, but the new file is missing";
  return may_leave ? scene.problem_with_next_pack() : "";
}

/// Packs the scene with each of the failures in turn.
template <std::size_t kCount>
void fail_packing(const PackScene& scene, const Failure (&failures)[kCount], const std::filesystem::path& within) {
  for (const Failure& failure : failures) {
    fail_every_call(
        std::string("pack over ") + to_text(scene.kind()), scene.arguments(), failure, within, [&] { scene.reset(); },
        [&](const FaultyOutcome& outcome) { return problem_after_pack(scene, outcome, failure.call); });
  }
}

}  // namespace

TEST_CASE("pack ends with an error and leaves nothing when any call that changes the disk fails", "[faults][calls]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const PackScene scene(GENERATE(from_range(std::begin(kPackKinds), std::end(kPackKinds))));
  fail_packing(scene, kWriting, scene.folder());
}

TEST_CASE("pack ends with an error and leaves nothing when any open or read fails", "[faults][calls]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const PackScene scene(GENERATE(PackKind::replacing, PackKind::appending, PackKind::reindexing, PackKind::repacking));
  // The parent folder of both the source and the target.
  fail_packing(scene, kReading, scene.folder().parent_path());
}

TEST_CASE("verify, info and train end with an error when they cannot open or read the file", "[faults][calls]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const std::string verb = GENERATE(std::string("verify"), std::string("info"), std::string("train"));
  const PackScene scene(PackKind::replacing);
  std::vector<std::string> arguments = {verb, scene.target(), "--quiet"};
  if (verb == "train") arguments.insert(arguments.end(), {"--epochs", "1", "--device", "cpu"});
  const auto nothing = [](const FaultyOutcome&) { return std::string(); };
  for (const Failure& failure : kReading) {
    fail_every_call(
        verb, arguments, failure, scene.folder(), [] {}, nothing);
  }
}

TEST_CASE("export ends with an error and leaves nothing when it cannot open or read the dataset file",
          "[faults][calls]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const ExportScene scene(GENERATE(std::string("png"), std::string("npy")));
  for (const Failure& failure : kReading) {
    fail_every_call(
        "reading for an export as " + scene.format(), scene.arguments(), failure, scene.packed(),
        [&] { scene.reset(); },
        [&](const FaultyOutcome& outcome) { return scene.problem_after_end(outcome.exit_code == 0); });
  }
}

TEST_CASE("a program succeeds or ends with an error when any file cannot be opened", "[faults][calls]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const PackScene scene(PackKind::replacing);
  const Failure failure = {"any open EMFILE", Call::open, faults::Action::fail, EMFILE, false, Expected::either};
  const auto verb = GENERATE(std::string("pack"), std::string("verify"), std::string("train"));
  auto arguments = verb == "pack" ? scene.arguments() : std::vector<std::string>{verb, scene.target(), "--quiet"};
  if (verb == "train") arguments.insert(arguments.end(), {"--epochs", "1", "--device", "cpu"});
  fail_every_call(
      verb, arguments, failure, "", [&] { scene.reset(); },
      [&](const FaultyOutcome& outcome) {
        return verb == "pack" ? problem_after_pack(scene, outcome, failure.call) : std::string();
      });
}
