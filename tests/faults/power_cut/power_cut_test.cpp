// Power cuts while the packer runs. Its calls are recorded once, then replayed on a disk model that loses, tears and
// reorders unsynced writes.
#include <algorithm>

#include "../../lib/dataset_file/small_file.hpp"
#include "../effort.hpp"
#include "../faulty_program.hpp"
#include "../pack_scene.hpp"
#include "../tally.hpp"
#include "catch.hpp"
#include "disk_model.hpp"
#include "trace_reader.hpp"

using namespace octavo::test;
namespace faults = octavo::faults;

namespace {

/// The file changes of a packer without faults.
std::vector<DiskChange> trace_of_packing(const PackScene& scene) {
  const TemporaryFolder folder;
  write_bytes(folder / "trace", {});
  scene.reset();
  const auto outcome = run_with_fault(scene.arguments(), {}, folder / "trace");
  REQUIRE(outcome.exit_code == 0);
  return read_trace(folder / "trace");
}

/// The disk before packing.
DiskModel disk_before(const PackScene& scene) {
  DiskState files;
  if (scene.has_old()) files[scene.target()] = scene.old_bytes();
  return DiskModel(files);
}

/// The problem with a disk state, or empty. `has_ended`: the packer had ended before the power cut.
std::string problem_with(const DiskState& state, const PackScene& scene, bool has_ended) {
  const auto found = state.find(scene.target());
  if (found == state.end()) return scene.has_old() || has_ended ? "the file is missing" : "";
  const bool is_old = scene.has_old() && found->second == scene.old_bytes();
  if (!is_old && scene.is_new(found->second)) return "";
  if (has_ended) return "the new file was reported as packed, but is missing";
  return is_old ? "" : "the file is neither the old nor the new one";
}

/// Writes the found files to a real disk, and packs again.
std::string problem_with_next_pack(const DiskState& state, const PackScene& scene) {
  scene.reset();
  std::filesystem::remove(scene.target());
  for (const auto& [name, bytes] : state) write_bytes(name, bytes);
  return scene.problem_with_next_pack();
}

/// Cuts the power `times` times before each change of the trace, and after the last one.
void cut_power(const PackScene& scene, const std::vector<DiskChange>& trace, std::int64_t times, Tally& tally) {
  constexpr std::int64_t kPackAgainEvery = 150;
  DiskModel disk = disk_before(scene);
  for (std::size_t done = 0; done <= trace.size() && tally.has_time(); ++done) {
    for (std::int64_t i = 0; i < times; ++i) {
      const auto number = static_cast<std::int64_t>(done) * times + i;
      auto random = random_of_case(number);
      const DiskState state = disk.after_power_cut(random);
      std::string problem = problem_with(state, scene, done == trace.size());
      if (problem.empty() && number % kPackAgainEvery == 0) problem = problem_with_next_pack(state, scene);
      tally.add(problem.empty() ? ""
                                : problem + " after change " + std::to_string(done) + ", try " + std::to_string(i));
    }
    if (done < trace.size()) disk.apply(trace[done]);
  }
}

/// The trace without one kind of change, as if the packer forgot those calls.
std::vector<DiskChange> without(std::vector<DiskChange> trace, faults::Change change) {
  std::erase_if(trace, [&](const DiskChange& one) { return one.change == change; });
  return trace;
}

}  // namespace

TEST_CASE("a power cut at any moment leaves the old or the complete new file and the next pack works",
          "[faults][power][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  for (const PackKind kind : kPackKinds) {
    const PackScene scene(kind);
    const auto trace = trace_of_packing(scene);
    REQUIRE(trace.size() > 20);
    Tally tally(std::string("6 power cut after every change, ") + to_text(kind), true);
    cut_power(scene, trace, case_count(40, 1000), tally);
    CHECK(tally.failures() == kNone);
  }
}

TEST_CASE("the disk model detects a packer that forgets to sync", "[faults][power][plain-only]") {
  if (const auto reason = why_no_faults(faults::kChangingCalls); !reason.empty()) OCTAVO_SKIP(reason);
  const PackScene scene(PackKind::replacing);
  const auto trace = trace_of_packing(scene);
  for (const auto forgotten : {faults::Change::sync, faults::Change::sync_names, faults::Change::rename}) {
    Tally tally("");
    cut_power(scene, without(trace, forgotten), 40, tally);
    CHECK(tally.failures() != kNone);
  }
}
