#include "option_tree.hpp"

#include <sstream>

namespace octavo::tools {
namespace {

/// CLI11 describes a choice as "TEXT:{a,b,c}".
void split_type(const std::string& type, OptionInfo& info) {
  info.value = type.substr(0, type.find(':'));
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) info.choices.push_back(choice);
}

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo info;
  info.help = option.get_description();
  info.is_repeated = option.get_expected_max() > 1;
  if (option.get_positional()) {
    info.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  }
  if (option.get_positional() || option.get_type_size() > 0) split_type(option.get_type_name(), info);
  return info;
}

}  // namespace

std::vector<VerbInfo> option_tree(const CLI::App& program) {
  std::vector<VerbInfo> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    VerbInfo& info = verbs.emplace_back();
    info.name = verb->get_name();
    info.help = verb->get_description();
    for (const CLI::Option* option : verb->get_options()) {
      if (option->get_group().empty()) continue;  // hidden
      (option->get_positional() ? info.positionals : info.options).push_back(info_of(*option));
    }
  }
  return verbs;
}

}  // namespace octavo::tools
