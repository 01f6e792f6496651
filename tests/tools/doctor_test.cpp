// The verb `doctor`.
#include <fstream>
#include <iterator>
#include <octavo/doctor.hpp>
#include <octavo/option_names.hpp>
#include <sstream>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A split of 60 samples of noise; in `test`, sample 5 is that of train if `has_copy`.
void write_splits(const std::filesystem::path& path, bool has_copy) {
  const PlainSplit train = random_split("train", 60, {1, 8, 8}, 1);
  PlainSplit test = random_split("test", 60, {1, 8, 8}, 2);
  if (has_copy) std::copy_n(train.values.begin() + 5 * 64, 64, test.values.begin() + 5 * 64);
  write_packed(path, {train, test});
}

/// Text with one blank instead of every line break and indent.
std::string unwrapped(const std::string& text) {
  std::istringstream stream(text);
  std::string result;
  for (std::string word; stream >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

}  // namespace

TEST_CASE("doctor names what is wrong, and fails only with --strict", "[unit][tools]") {
  const TemporaryFolder folder;
  write_splits(folder / "d.h5", true);
  const Outcome outcome = run_octavo({"doctor", folder / "d.h5", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(
      outcome.out.starts_with("d.h5: 1 error in 120 samples of 2 splits\n"
                              "  error: 1 image is in more than one split: train #5 = test #5\n    remedy: "));
  CHECK_THAT(outcome.out, ContainsSubstring("with --group-by\n"));
  const Outcome strict = run_octavo({"doctor", folder / "d.h5", "--quiet", "--strict"});
  CHECK(strict.exit_code == 1);
  CHECK(strict.out == outcome.out);
}

TEST_CASE("doctor says in one line that there is nothing and what was checked", "[unit][tools]") {
  const TemporaryFolder folder;
  write_packed(folder / "d.h5", {random_split("train", 60, {1, 8, 8}, 1)});
  const Outcome outcome = run_octavo({"doctor", folder / "d.h5", "--quiet", "--strict"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("d.h5: nothing found in 60 samples of 1 split; checked for equal across splits, "));
  CHECK(std::ranges::count(outcome.out, '\n') == 1);
}

TEST_CASE("doctor writes one JSON document", "[unit][tools]") {
  const TemporaryFolder folder;
  write_splits(folder / "d.h5", true);
  const Outcome outcome = run_octavo({"doctor", folder / "d.h5", "--json", "--quiet", "--strict"});
  CHECK(outcome.exit_code == 1);
  const auto document = outcome.json();
  CHECK(document["errors"] == 1);
  CHECK(document["splits"] == std::vector<std::string>{"train", "test"});
  CHECK(document["findings"][0]["check"] == "equal_across_splits");
  CHECK(document["findings"][0]["examples"][0]["samples"][1]["split"] == "test");
  const auto without = run_octavo({"doctor", folder / "d.h5", "--json", "--quiet", "--examples", "0"}).json();
  CHECK(without["findings"][0]["examples"].empty());
  CHECK(without["findings"][0]["count"] == 1);
}

TEST_CASE("doctor shows the name of a file escaped", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string name = "\x1B[m\xB9.h5";
  write_splits(folder / name, false);
  CHECK(run_octavo({"doctor", folder / name, "--quiet"}).out.starts_with("?[m\\xB9.h5: nothing found in "));
  const auto document = run_octavo({"doctor", folder / name, "--quiet", "--json"}).json();
  CHECK(document["file"].get<std::string>().ends_with("\x1B[m\\xB9.h5"));
}

TEST_CASE("doctor refuses an invalid grouping in one line", "[unit][tools]") {
  const TemporaryFolder folder;
  write_splits(folder / "d.h5", false);
  const Outcome outcome = run_octavo({"doctor", folder / "d.h5", "--group-by", "path:(x"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.is_one_line_error());
  CHECK_THAT(outcome.err, ContainsSubstring("--group-by path:(x has an invalid regular expression"));
  CHECK_THAT(run_octavo({"doctor", folder / "d.h5", "--group-by", "patient"}).err,
             ContainsSubstring("there is no column \"patient\"; the file has no columns: use --group-by path:REGEX"));
}

TEST_CASE("doctor reports a damaged sample", "[unit][tools]") {
  const TemporaryFolder folder;
  pack_digits(folder / "d.h5");
  CHECK(run_octavo({"doctor", folder / "d.h5", "--quiet"}).exit_code == 0);
  damage_sample(folder / "d.h5");
  const Outcome outcome = run_octavo({"doctor", folder / "d.h5", "--quiet"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.is_one_line_error());
}

TEST_CASE("the help and the documentation list every check", "[unit][tools]") {
  const std::string help = unwrapped(run_octavo({"doctor", "--help"}).out);
  std::ifstream file(OCTAVO_SOURCE_DIR "/docs/reports.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const DoctorCheckInfo& info : kDoctorChecks) {
    CHECK_THAT(help, ContainsSubstring(std::string(to_string(info.severity)) + ": " + std::string(info.meaning)));
    const std::string row = "| " + std::string(to_string(info.severity)) + " | `" + std::string(info.id) + "` | " +
                            std::string(info.meaning) + " | " + with_command_line_options(info.remedy) + " |\n";
    CHECK_THAT(page, ContainsSubstring(row));
  }
}
