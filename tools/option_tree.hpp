// The verbs and options of the program, for its shell completions and man pages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace octavo::tools {

struct OptionInfo {
  std::vector<std::string> names;    ///< "-o", "--output"; of a positional: "SOURCE"
  std::string value;                 ///< the kind of its value, "TEXT"; empty for a flag
  std::vector<std::string> choices;  ///< the values that it accepts; empty: any
  std::string help;
  bool is_repeated = false;  ///< takes several values
};

struct VerbInfo {
  std::string name;
  std::string help;
  std::vector<OptionInfo> positionals;
  std::vector<OptionInfo> options;
};

/// All verbs in the order of the help, with the options that the help shows.
std::vector<VerbInfo> option_tree(const CLI::App& program);

}  // namespace octavo::tools
