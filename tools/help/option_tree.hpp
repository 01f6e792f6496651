// The verbs and options of the program, for its help, shell completions and man pages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "help/verb_examples.hpp"

namespace octavo::tools {

struct OptionInfo {
  std::vector<std::string> names;        ///< "-o", "--output"; of a positional: "SOURCE"
  std::string group;                     ///< the title under which the help lists it
  std::string value;                     ///< the kind of its value, "TEXT"; empty for a flag
  std::vector<std::string> choices;      ///< the values that it accepts; empty: any
  std::vector<std::string> suggestions;  ///< values that shells complete, if it accepts others too
  std::string help;
  std::vector<std::string> needs;     ///< used only with these options
  std::vector<std::string> excludes;  ///< not used with these options
  bool is_repeated = false;           ///< takes several values
  bool is_required = false;
};

struct VerbInfo {
  std::string name;
  std::string help;
  std::vector<OptionInfo> positionals;
  std::vector<OptionInfo> options;
  std::vector<Example> examples;
  std::string footer;  ///< more text, in lines; may be empty
};

/// The group of the options that every verb has.
inline constexpr const char* kGeneralGroup = "General";

/// All verbs in the order of the help, with the options that the help shows.
std::vector<VerbInfo> option_tree(const CLI::App& program);

VerbInfo describe_verb(const CLI::App& verb);

/// The options of the program itself.
std::vector<OptionInfo> options_of(const CLI::App& app);

/// The options of a verb by group; the general ones last.
std::vector<std::pair<std::string, std::vector<OptionInfo>>> groups_of(const VerbInfo& verb);

/// "octavo pack [OPTIONS] SOURCE..."
std::string synopsis_of(const VerbInfo& verb);

/// " (needs --batch)", or nothing.
std::string condition_of(const OptionInfo& option);

}  // namespace octavo::tools
