// Shell completions and man pages: both come from the same options as the help.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

namespace {

/// What bash completes for these words, the last of which is being typed.
std::string completed(const std::string& script, const std::string& words, int last) {
  const std::string command = "bash -c 'source \"$0\"; COMP_WORDS=(octavo " + words +
                              "); COMP_CWORD=" + std::to_string(last) + "; _octavo; echo \"${COMPREPLY[@]}\"' '" +
                              script + "'";
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  REQUIRE(::pclose(pipe) == 0);
  return text;
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("bash completes verbs and options and their values", "[unit][tools]") {
  const TemporaryFolder folder;
  const std::string script = folder / "octavo.bash";
  std::ofstream(script) << run_octavo({"completion", "bash"}).out;
  CHECK(completed(script, "re", 1) == "report reindex repack\n");
  CHECK(completed(script, "pack --fi", 2) == "--fit\n");
  CHECK(completed(script, "pack --fit \"\"", 3) == "crop pad stretch\n");
  CHECK(completed(script, "pack --size 3", 3) == "\n");
  CHECK(completed(script, "pack photos", 2) == "\n");  // bash itself completes files
  CHECK(completed(script, "repack --fi", 2) == "\n");
  CHECK(completed(script, "fetch cifar", 2) == "cifar10 cifar100\n");
  CHECK(completed(script, "train --device cp", 3) == "cpu\n");
  CHECK(completed(script, "train --device cuda", 3).starts_with("cuda cuda:0 cuda:1 "));
  CHECK(completed(script, "help pa", 2) == "pack\n");
}

TEST_CASE("every shell completes every verb", "[unit][tools]") {
  const std::string shell = GENERATE("bash", "zsh", "fish");
  const Outcome outcome = run_octavo({"completion", shell});
  REQUIRE(outcome.exit_code == 0);
  for (const char* const word :
       {"fetch", "pack", "manual", "label-column", "crop pad stretch", "residency", "fashion-mnist", "auto cpu cuda"}) {
    INFO(shell << ": " << word);
    CHECK_THAT(outcome.out, ContainsSubstring(word));
  }
  CHECK(run_octavo({"completion", "csh"}).exit_code == 2);
}

TEST_CASE("man pages describe every verb", "[unit][tools]") {
  const TemporaryFolder folder;
  REQUIRE(run_octavo({"manual", folder.path().string()}).exit_code == 0);
  const std::string pack = text_of_file(folder / "octavo-pack.1");
  CHECK_THAT(pack, ContainsSubstring("octavo\\-pack \\- Pack images into one int8 dataset file"));
  CHECK_THAT(pack, ContainsSubstring("\\fB\\-\\-fit\\fR \\fIcrop|pad|stretch\\fR"));
  CHECK_THAT(pack, ContainsSubstring("\n.SS Output\n") && ContainsSubstring("\n.SH EXAMPLES\n") &&
                       ContainsSubstring("\\fBoctavo pack photos \\-o photos.h5"));
  CHECK_THAT(pack, ContainsSubstring("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fITEXT\\fR"));
  const std::string all = text_of_file(folder / "octavo.1");
  for (const auto& page : std::filesystem::directory_iterator(folder.path())) {
    const std::string verb = page.path().stem().string();
    if (verb != "octavo") CHECK_THAT(all, ContainsSubstring("octavo\\-" + verb.substr(7)));
  }
  REQUIRE(run_octavo({"manual", folder / "new/man1"}).exit_code == 0);
  CHECK(text_of_file(folder / "new/man1/octavo.1") == all);
  const Outcome refused = run_octavo({"manual", folder / "octavo.1/man1"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("create the folder") && ContainsSubstring("choose another folder"));
}

TEST_CASE("the manual as a Markdown page has a section for every verb", "[unit][tools]") {
  const TemporaryFolder folder;
  REQUIRE(run_octavo({"manual", folder.path().string(), "--markdown"}).exit_code == 0);
  const std::string page = text_of_file(folder / "octavo.md");
  CHECK_THAT(page, ContainsSubstring("\n## octavo pack\n\nPack images into one int8 dataset file.\n"));
  CHECK_THAT(page, ContainsSubstring("\noctavo pack [OPTIONS] SOURCE...\n"));
  CHECK_THAT(page, ContainsSubstring("\n- `SOURCE` *TEXT*: \\[SPLIT=\\]PATH"));  // escaped: not a link
  CHECK_THAT(page, ContainsSubstring("\n- `-o`, `--output` *TEXT*: The dataset file to write"));
  CHECK_THAT(page, ContainsSubstring("\n- `--fit` (`crop`, `pad`, `stretch`): "));
  CHECK_THAT(page, ContainsSubstring("\n- `--dry-run`: Only show"));
  CHECK_THAT(page, ContainsSubstring("\n**Output**\n\n- `-o`") && ContainsSubstring("\n**Examples**\n\n"));
  CHECK_THAT(page, ContainsSubstring("\n## Exit status\n\n0 if all went well"));
  for (const char* const verb : {"fetch", "info", "train", "completion", "manual"}) {
    CHECK_THAT(page, ContainsSubstring("\n## octavo " + std::string(verb) + "\n"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
