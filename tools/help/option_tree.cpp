#include "help/option_tree.hpp"

#include <algorithm>
#include <octavo/fetch.hpp>
#include <set>
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

std::vector<std::string> names_of_sets() {
  std::vector<std::string> names;
  for (const RemoteSet& set : known_sets()) names.push_back(set.name);
  return names;
}

/// The completion script may be written on another machine, so devices are those that may exist.
std::vector<std::string> usual_devices() {
  return {"auto", "cpu", "cuda", "cuda:0", "cuda:1", "cuda:2", "cuda:3", "cuda:4", "cuda:5", "cuda:6", "cuda:7"};
}

std::vector<std::string> names_of_verbs(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// Values of options that accept any text.
std::vector<std::string> suggestions_for(const CLI::App& app, const std::string& option) {
  if (option == "--device") return usual_devices();
  if (app.get_name() == "fetch" && option == "NAME") return names_of_sets();
  if (app.get_name() == "help" && option == "COMMAND") return names_of_verbs(*app.get_parent());
  return {};
}

/// Sorted by name: CLI11 has them in the order of their addresses.
std::vector<std::string> names_in(const std::set<CLI::Option*>& options) {
  std::set<std::string> names;
  for (const CLI::Option* option : options) names.insert(option->get_name());
  return {names.begin(), names.end()};
}

OptionInfo info_of(const CLI::App& app, const CLI::Option& option) {
  OptionInfo info;
  info.help = option.get_description();
  info.group = option.get_group();
  info.is_repeated = option.get_expected_max() > 1;
  info.is_required = option.get_required();
  info.needs = names_in(option.get_needs());
  info.excludes = names_in(option.get_excludes());
  if (option.get_positional()) {
    info.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  }
  if (option.get_positional() || option.get_type_size() > 0) split_type(option.get_type_name(), info);
  info.suggestions = suggestions_for(app, info.names.back());
  return info;
}

std::string comma_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::vector<OptionInfo> options_of(const CLI::App& app) {
  std::vector<OptionInfo> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(info_of(app, *option));  // else it is hidden
  }
  return options;
}

VerbInfo describe_verb(const CLI::App& verb) {
  VerbInfo info;
  info.name = verb.get_name();
  info.help = verb.get_description();
  info.examples = examples_of_verb(info.name);
  info.footer = verb.get_footer();
  for (const OptionInfo& option : options_of(verb)) {
    (option.names[0].starts_with('-') ? info.options : info.positionals).push_back(option);
  }
  return info;
}

std::vector<VerbInfo> option_tree(const CLI::App& program) {
  std::vector<VerbInfo> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(describe_verb(*verb));
  }
  return verbs;
}

std::vector<std::pair<std::string, std::vector<OptionInfo>>> groups_of(const VerbInfo& verb) {
  std::vector<std::pair<std::string, std::vector<OptionInfo>>> groups;
  for (const OptionInfo& option : verb.options) {
    auto group = std::ranges::find_if(groups, [&](const auto& one) { return one.first == option.group; });
    if (group == groups.end()) group = groups.insert(groups.end(), {option.group, {}});
    group->second.push_back(option);
  }
  std::stable_partition(groups.begin(), groups.end(), [](const auto& group) { return group.first != kGeneralGroup; });
  return groups;
}

std::string synopsis_of(const VerbInfo& verb) {
  std::string synopsis = "octavo " + verb.name + " [OPTIONS]";
  for (const OptionInfo& positional : verb.positionals) {
    const std::string name = positional.names[0] + (positional.is_repeated ? "..." : "");
    synopsis += positional.is_required ? " " + name : " [" + name + "]";
  }
  return synopsis;
}

std::string condition_of(const OptionInfo& option) {
  std::string text = option.is_required && option.names[0].starts_with('-') ? "required" : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!option.needs.empty()) add("needs " + comma_list(option.needs));
  if (!option.excludes.empty()) add("excludes " + comma_list(option.excludes));
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace octavo::tools
