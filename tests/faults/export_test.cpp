// Exports that are killed, lose power or have failing calls: the folder is complete, or packing refuses it.
#include <errno.h>
#include <signal.h>

#include "../lib/dataset_file/small_file.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "export_scene.hpp"
#include "faulty_program.hpp"
#include "power_cut/disk_model.hpp"
#include "power_cut/trace_reader.hpp"
#include "tally.hpp"

using namespace octavo::test;
namespace faults = octavo::faults;

namespace {

using faults::Call;

std::string any_format() { return GENERATE(std::string("png"), std::string("npy")); }

}  // namespace

TEST_CASE("a successful export can be packed again", "[faults][export]") {
  const ExportScene scene(any_format());
  REQUIRE(run_octavo(scene.arguments()).exit_code == 0);
  REQUIRE(scene.found() == ExportScene::Found::whole);
}

TEST_CASE("an export killed at any call leaves a folder that is complete or refused", "[faults][export][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const std::string format = any_format();
  const ExportScene scene(format);
  Tally tally("5 kill -9 at every changing call, export as " + format);
  for (const auto action : {faults::Action::kill, faults::Action::kill_half_way}) {
    for (std::int64_t at = 1;; at += place_step(5)) {
      scene.reset();
      const auto outcome =
          run_with_fault(scene.arguments(), {faults::kChangingCalls, action, 0, at, false, scene.parent()});
      if (!outcome.has_failed) break;
      const std::string problem = outcome.exit_code == -SIGKILL ? scene.problem_with_target() : "it was not killed";
      tally.add(problem.empty() ? "" : problem + ", killed at " + outcome.description());
    }
  }
  CHECK(tally.count() > 10);
  CHECK(tally.failures() == kNone);
}

TEST_CASE("an export with a failing call ends with an error and leaves nothing", "[faults][export]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  struct Failure {
    const char* name;
    std::uint32_t calls;
    int error_number;
  };
  const Failure failures[] = {{"write ENOSPC", faults::bit(Call::write), ENOSPC},
                              {"fsync EIO", faults::bit(Call::sync), EIO},
                              {"open EMFILE", faults::bit(Call::open), EMFILE},
                              {"mkdir EACCES", faults::bit(Call::make_folder), EACCES}};
  const std::string format = any_format();
  const ExportScene scene(format);
  for (const Failure& failure : failures) {
    Tally tally("7 export as " + format + ", " + failure.name);
    for (std::int64_t at = 1;; at += place_step(7)) {
      scene.reset();
      const auto outcome = run_with_fault(
          scene.arguments(), {failure.calls, faults::Action::fail, failure.error_number, at, false, scene.parent()});
      if (!outcome.has_failed) {
        CHECK(scene.found() == ExportScene::Found::whole);
        break;
      }
      // The export may still succeed if the failed call was not essential.
      const bool is_well = outcome.exit_code == 0 && scene.found() == ExportScene::Found::whole;
      const bool is_refused = outcome.is_clean_error() && names_in(scene.parent()).empty();
      tally.add(is_well || is_refused ? "" : "neither a clean error nor a complete export: " + outcome.description());
    }
    CHECK(tally.failures() == kNone);
  }
}

TEST_CASE("a power cut at any moment of an export leaves a folder that is complete or refused",
          "[faults][export][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const std::string format = any_format();
  const ExportScene scene(format);
  const TemporaryFolder folder;
  write_bytes(folder / "trace", {});
  REQUIRE(run_with_fault(scene.arguments(), {}, folder / "trace").exit_code == 0);
  auto trace = read_trace(folder / "trace");
  // Other files, such as the program's output streams, are ignored below.
  REQUIRE(trace.size() > 10);
  Tally tally("6 power cut after every change, export as " + format, true);
  const std::int64_t times = case_count(20, 400);
  DiskModel disk({});
  for (std::size_t done = 0; done <= trace.size() && tally.has_time(); ++done) {
    for (std::int64_t i = 0; i < times; ++i) {
      auto random = random_of_case(static_cast<std::int64_t>(done) * times + i);
      scene.reset();
      for (const auto& [name, bytes] : disk.after_power_cut(random)) {
        if (!name.starts_with(scene.target().string() + "/")) continue;
        std::filesystem::create_directories(std::filesystem::path(name).parent_path());
        write_bytes(name, bytes);
      }
      const bool has_ended = done == trace.size();
      const std::string problem = has_ended && scene.found() != ExportScene::Found::whole
                                      ? "it was reported as done, but is not complete"
                                      : scene.problem_with_target();
      tally.add(problem.empty() ? ""
                                : problem + " after change " + std::to_string(done) + ", try " + std::to_string(i));
    }
    if (done < trace.size()) disk.apply(trace[done]);
  }
  CHECK(tally.failures() == kNone);
}
