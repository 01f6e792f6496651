// Several packers write the same file at the same time.
#include <memory>

#include "../lib/dataset_file/small_file.hpp"
#include "catch.hpp"
#include "effort.hpp"
#include "faulty_program.hpp"
#include "pack_scene.hpp"
#include "tally.hpp"

using namespace octavo::test;

TEST_CASE("concurrent packers of one file each succeed or report an error and the file is complete",
          "[faults][packers]") {
  const PackScene scenes[] = {PackScene(PackKind::fresh, 400), PackScene(PackKind::replacing, 400)};
  Tally tally("15 several packers on one target", true);
  const std::int64_t count = case_count(40, 2000);
  for (std::int64_t i = 0; i < count && tally.has_time(); ++i) {
    auto random = random_of_case(i);
    const PackScene& scene = scenes[below(random, 2)];
    scene.reset();
    std::vector<std::unique_ptr<RunningProgram>> programs;
    for (std::int64_t left = 2 + below(random, 3); left > 0; --left) {
      programs.push_back(std::make_unique<RunningProgram>(scene.arguments(1 + static_cast<int>(below(random, 2)))));
    }
    std::string problem;
    int done_count = 0;
    for (const auto& program : programs) {
      const Outcome outcome = program->wait();
      // 2: the file exists already and --force was not given.
      const bool is_refused = (outcome.exit_code == 1 || outcome.exit_code == 2) && outcome.is_one_line_error();
      if (outcome.exit_code != 0 && !is_refused) problem = "exit code " + std::to_string(outcome.exit_code);
      done_count += outcome.exit_code == 0 ? 1 : 0;
    }
    if (done_count == 0) problem = "no packer succeeded";
    if (!scene.has_old() && done_count > 1) problem = "two made the same new file";
    if (problem.empty()) problem = scene.problem_after_error();
    if (problem.empty() && bytes_of_file(scene.target()) != scene.new_bytes()) problem = "the file is not the new one";
    tally.add(problem.empty() ? "" : problem + " in case " + std::to_string(i));
  }
  CHECK(tally.failures() == kNone);
}
