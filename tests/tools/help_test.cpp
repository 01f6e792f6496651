// The help of the program and of its verbs.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "program.hpp"

using namespace octavo::test;

namespace {

/// The help with an environment variable COLUMNS.
std::string help_at(const char* columns, const std::vector<std::string>& words) {
  ::setenv("COLUMNS", columns, 1);
  const Outcome outcome = run_octavo(words);
  ::unsetenv("COLUMNS");
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The longest line that is not a command of an example or one long word.
std::size_t widest_line(const std::string& help) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of(help)) {
    const bool is_command = line.starts_with("    octavo ") || line.starts_with("    source ");
    const bool is_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
    if (!is_command && !is_word) widest = std::max(widest, line.size());
  }
  return widest;
}

/// The options that the help of a verb lists: "-o", "--output".
std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> options;
  for (const std::string& line : lines_of(help)) {
    std::istringstream words(line.starts_with("  -") ? line : "");
    for (std::string word; words >> word && word.starts_with('-');) options.insert(word.substr(0, word.find(',')));
  }
  return options;
}

/// The verbs that the help of the program lists.
std::vector<std::string> all_verbs() {
  std::vector<std::string> verbs;
  bool is_listed = false;
  for (const std::string& line : lines_of(help_at("100", {"--help"}))) {
    if (line.empty() || line == "Commands:")
      is_listed = line == "Commands:";
    else if (is_listed && line[2] != ' ')
      verbs.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return verbs;
}

}  // namespace

TEST_CASE("help wraps at the width of the terminal", "[unit][tools][plain-only]") {
  for (const std::string verb : {"view", "doctor", "repack"}) {
    INFO(verb);
    CHECK(widest_line(help_at("60", {"help", verb})) <= 60);
    const std::size_t wide = widest_line(help_at("100", {"help", verb}));
    CHECK((wide > 80 && wide <= 100));
  }
  CHECK(widest_line(help_at("60", {"--help"})) <= 60);
}

TEST_CASE("help has a smallest and a largest width", "[unit][tools][plain-only]") {
  CHECK(help_at("5", {"help", "pack"}) == help_at("40", {"help", "pack"}));
  CHECK(help_at("1000", {"help", "pack"}) == help_at("100", {"help", "pack"}));
  // Tests have no terminal.
  CHECK(help_at("", {"help", "pack"}) == help_at("80", {"help", "pack"}));
  CHECK(help_at("wide", {"help", "pack"}) == help_at("80", {"help", "pack"}));
}

TEST_CASE("the verb help is the same as the option --help", "[unit][tools][plain-only]") {
  CHECK(help_at("80", {"help", "pack"}) == help_at("80", {"pack", "--help"}));
  CHECK(help_at("80", {"help"}) == help_at("80", {"--help"}));
}

TEST_CASE("options are listed in groups and the general ones are last", "[unit][tools][plain-only]") {
  const std::string help = help_at("80", {"help", "pack"});
  CHECK(help.starts_with("Pack images into one int8 dataset file\n\nUsage: octavo pack [OPTIONS] SOURCE...\n"));
  for (const char* const group : {"Images:", "Labels:", "Samples and splits:", "Output:"}) {
    CHECK(help.find("\n" + std::string(group) + "\n") < help.find("\nGeneral:\n"));
  }
  CHECK(help.find("\nLabels:\n") == help.rfind("\nLabels:\n"));
  CHECK_THAT(help, ContainsSubstring("--fit crop|pad|stretch") &&
                       ContainsSubstring("Store no names of samples (excludes --names)"));
}

TEST_CASE("every verb has two examples whose options exist", "[unit][tools][plain-only]") {
  const auto verbs = all_verbs();
  REQUIRE(verbs.size() >= 17);
  for (const std::string& verb : verbs) {
    const std::string help = help_at("100", {"help", verb});
    INFO(help);
    const std::set<std::string> options = options_in(help);
    int count = 0;
    for (const std::string& line : lines_of(help)) {
      const std::size_t command = line.find("octavo " + verb);
      if (!line.starts_with("    ") || line[4] == ' ' || command == std::string::npos) continue;
      ++count;
      std::istringstream words(line.substr(command));
      for (std::string word; words >> word;) {
        if (word.starts_with("-")) CHECK(options.contains(word));
      }
    }
    CHECK(count >= 2);
  }
}
