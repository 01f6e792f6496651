#include "help/misspelling.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <octavo/spelling.hpp>
#include <string_view>

#include "help/option_tree.hpp"
#include "options/option_values.hpp"

namespace octavo::tools {
namespace {

std::vector<std::string> long_names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options_of(app)) {
    std::ranges::copy_if(option.names, std::back_inserter(names), [](const auto& n) { return n.starts_with("--"); });
  }
  return names;
}

/// Whether a word is a long option, or one with a single dash ("-json").
bool looks_like_long_option(const std::string& word) {
  if (word.starts_with("--")) return word.size() > 2 && word[2] != '=';
  return word.size() > 3 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

/// Options of pack that change the samples of a dataset file.
constexpr std::array<std::string_view, 6> kChangingOptions = {"--size",       "--fit",   "--channels",
                                                              "--background", "--masks", "--classes"};

/// The command of pack that does what `words`, the arguments of repack, ask for; empty for another verb or option.
std::string way_to_change(const CLI::App& app, const std::string& option, const std::vector<std::string>& words) {
  if (app.get_name() != "repack" || std::ranges::find(kChangingOptions, option) == kChangingOptions.end()) return "";
  std::string command = "octavo pack";
  for (const std::string& word : words) command += " " + quote_word(word);
  return " repack keeps the samples as they are; to change them, run " + command + ";";
}

}  // namespace

std::string describe_unknown_verb(const CLI::App& program, const std::string& name) {
  std::vector<std::string> verbs;
  for (const VerbInfo& verb : option_tree(program)) verbs.push_back(verb.name);
  const std::string hint = did_you_mean(name, verbs);
  return "unknown command \"" + name + "\";" + (hint.empty() ? "" : " " + hint);
}

std::optional<std::string> describe_unknown_option(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> names = long_names_of(app);
  for (const std::string& word : words) {
    if (word == "--") break;  // what follows are values
    const std::string given = word.substr(0, word.find('='));
    if (!looks_like_long_option(word) || std::ranges::find(names, given) != names.end()) continue;
    const std::string with_dashes = "--" + given.substr(given.find_first_not_of('-'));
    const std::string way = way_to_change(app, given, words);
    if (!way.empty()) return "unknown option " + given + ";" + way;
    const auto nearest = nearest_name(with_dashes, names);
    // "-jobs" may also be the short option -j with the value "obs".
    if (!given.starts_with("--") && nearest != with_dashes) continue;
    return "unknown option " + given + ";" + (nearest ? " did you mean " + *nearest + "?" : "");
  }
  return std::nullopt;
}

}  // namespace octavo::tools
