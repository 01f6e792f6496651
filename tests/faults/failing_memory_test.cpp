// The program runs out of memory: its k-th allocation fails, alone or with all later ones.
#include "catch.hpp"
#include "effort.hpp"
#include "export_scene.hpp"
#include "faulty_program.hpp"
#include "pack_scene.hpp"
#include "tally.hpp"

using namespace octavo::test;
namespace faults = octavo::faults;

namespace {

constexpr std::uint32_t kMemory = faults::bit(faults::Call::memory);

/// The problem with how a run without memory ended, or empty.
std::string problem_of(const FaultyOutcome& outcome) {
  if (outcome.hung) return "timed out";
  if (outcome.exit_code == 0) return "";
  // Without memory, HDF5 1.10 crashes or prints errors itself, and OpenBLAS ends the process. The file is then as safe
  // as after a kill.
  if (outcome.failed_in_library > 0) return "";
  return outcome.exit_code == 1 && outcome.is_one_line_error() ? "" : "not a clean error";
}

/// Makes allocations of `octavo VERB` fail: each in turn in a nightly run, otherwise random ones. `prepare` is called
/// before each run, and `problem_after` returns what is wrong after it.
template <typename Prepare, typename Problem>
void run_out_of_memory(const std::string& verb, const std::vector<std::string>& arguments, bool from_then_on,
                       const Prepare& prepare, const Problem& problem_after) {
  prepare();
  const auto whole = run_with_fault(arguments, {.calls = kMemory, .action = faults::Action::none});
  REQUIRE(whole.exit_code == 0);
  REQUIRE(whole.counted > 100);
  Tally tally("8 octavo " + verb + (from_then_on ? ", no memory from an allocation on" : ", an allocation fails"),
              !is_night());
  std::int64_t in_library_count = 0;
  const std::int64_t count = is_night() ? whole.counted : 40;
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    const std::int64_t at = 1 + (is_night() ? i : below(random, whole.counted));
    prepare();
    const auto outcome = run_with_fault(
        arguments, {.calls = kMemory, .action = faults::Action::fail, .at = at, .from_then_on = from_then_on});
    std::string problem = problem_of(outcome);
    in_library_count += outcome.failed_in_library > 0 && !outcome.is_clean_error() && outcome.exit_code != 0 ? 1 : 0;
    if (problem.empty()) problem = problem_after(outcome);
    tally.add(problem.empty() ? "" : problem + ", allocation " + std::to_string(at) + ", " + outcome.description());
  }
  tally.set_note(std::to_string(in_library_count) + " end inside of HDF5 or OpenBLAS");
  CHECK(tally.failures() == kNone);
}

}  // namespace

TEST_CASE("a program that runs out of memory anywhere reports it on one line", "[faults][memory]") {
  if (const auto reason = why_no_faults(kMemory); !reason.empty()) OCTAVO_SKIP(reason);
  const auto verb = GENERATE(std::string("pack"), std::string("append"), std::string("reindex"), std::string("repack"),
                             std::string("verify"), std::string("info"), std::string("train"));
  const bool from_then_on = GENERATE(false, true);
  const PackScene scene(verb == "append"    ? PackKind::appending
                        : verb == "reindex" ? PackKind::reindexing
                        : verb == "repack"  ? PackKind::repacking
                                            : PackKind::replacing);
  const bool writes = verb == "pack" || verb == "append" || verb == "reindex" || verb == "repack";
  auto arguments = writes ? scene.arguments() : std::vector<std::string>{verb, scene.target(), "--quiet"};
  if (verb == "train") arguments.insert(arguments.end(), {"--epochs", "1", "--device", "cpu"});
  run_out_of_memory(
      verb, arguments, from_then_on, [&] { scene.reset(); },
      [&](const FaultyOutcome&) {
        if (!writes) return std::string();
        if (auto problem = scene.problem_with_target(); !problem.empty()) return problem;
        // If memory runs out in a noexcept function, nothing can be cleaned up. The next pack does it.
        const bool has_leftovers = names_in(scene.folder()).size() > 1;
        return has_leftovers ? scene.problem_with_next_pack() : std::string();
      });
}

TEST_CASE("an export that runs out of memory reports it on one line and leaves no seemingly complete export",
          "[faults][memory]") {
  if (const auto reason = why_no_faults(kMemory); !reason.empty()) OCTAVO_SKIP(reason);
  const ExportScene scene(GENERATE(std::string("npy"), std::string("png")));
  const bool from_then_on = GENERATE(false, true);
  run_out_of_memory(
      "export as " + scene.format(), scene.arguments(), from_then_on, [&] { scene.reset(); },
      [&](const FaultyOutcome& outcome) {
        // Without any memory, the folder cannot be listed and thus not emptied.
        const bool may_leave = from_then_on || !outcome.is_clean_error();
        if (outcome.exit_code != 0 && may_leave) return scene.problem_with_target();
        // An export that ends while its summary is printed is whole, and stays.
        if (outcome.exit_code != 0 && scene.found() == ExportScene::Found::whole) return std::string();
        return scene.problem_after_end(outcome.exit_code == 0);
      });
}
