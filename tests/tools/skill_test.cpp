// The page for coding agents.
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "program.hpp"

using namespace octavo::test;

TEST_CASE("the skill verb prints the page that the repository has", "[unit][tools]") {
  std::ifstream file(OCTAVO_SOURCE_DIR "/tools/skill/SKILL.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(page.starts_with("---\nname: octavo\n"));
  const Outcome outcome = run_octavo({"skill"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == page);
  CHECK(outcome.err.empty());
  CHECK(run_octavo({"skill", "pack"}).exit_code == 2);
}
