#include "help/help_text.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "help/option_tree.hpp"

namespace octavo::tools {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;  ///< at least, between a name and its description

/// A name, and what it means.
using Entry = std::pair<std::string, std::string>;

/// `text` in lines of at most `width` characters, each after `indent` blanks. The first one follows `start`, which may
/// be longer than the indent.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::string start = "") {
  std::string result, line = std::move(start);
  bool is_empty = true;  // no word in this line yet
  if (line.size() + (line.empty() ? 0 : kGap) > indent) {
    result = line + "\n";
    line.clear();
  }
  line.resize(indent, ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!is_empty && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line = std::string(indent, ' ');
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
    is_empty = false;
  }
  return is_empty ? result + line.substr(0, line.find_last_not_of(' ') + 1) + "\n" : result + line + "\n";
}

/// A footer, whose lines stay lines.
std::string wrapped_lines(const std::string& text, std::size_t width) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    result += line.empty() ? "\n" : wrapped(line, width, indent);
  }
  return result;
}

/// A list with a title.
struct Section {
  std::string title;
  std::vector<Entry> entries;
};

/// Where descriptions begin, in all sections.
std::size_t column_of(const std::vector<Section>& sections, std::size_t width) {
  std::size_t longest = 0;
  for (const Section& section : sections) {
    for (const Entry& entry : section.entries) longest = std::max(longest, entry.first.size());
  }
  return kIndent + std::min(longest + kGap, width / 3);
}

std::string text_of(const std::vector<Section>& sections, std::size_t width) {
  const std::size_t column = column_of(sections, width);
  std::string text;
  for (const auto& [title, entries] : sections) {
    text += "\n" + title + ":\n";
    for (const auto& [name, meaning] : entries) {
      text += wrapped(meaning, width, column, std::string(kIndent, ' ') + name);
    }
  }
  return text;
}

/// Whether the help of an option says what each choice means.
bool explains_choices(const OptionInfo& option) {
  return std::ranges::all_of(option.choices, [&](const std::string& choice) {
    return option.help.find("; " + choice + ": ") != std::string::npos;
  });
}

/// "-o, --output TEXT", or the name of an argument. Choices of an option are in the name if they are few, else in the
/// description, once.
Entry entry_of(const OptionInfo& option) {
  constexpr std::size_t kMostShort = 24;
  std::string names, choices, text = option.help;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
  for (const std::string& choice : option.choices) choices += (choices.empty() ? "" : "|") + choice;
  const bool is_positional = !option.names[0].starts_with('-');
  const bool are_in_name = choices.size() <= kMostShort && !is_positional;
  if (!option.value.empty() && !is_positional) {
    names += " " + (choices.empty() || !are_in_name ? option.value : choices);
  }
  if (!are_in_name && !explains_choices(option)) {
    std::ranges::replace(choices, '|', ' ');
    text += "; one of: " + choices;
  }
  return {names, text + condition_of(option)};
}

std::vector<Entry> entries_of(const std::vector<OptionInfo>& options) {
  std::vector<Entry> entries;
  for (const OptionInfo& option : options) entries.push_back(entry_of(option));
  return entries;
}

std::string examples_of(const VerbInfo& verb, std::size_t width) {
  std::string text = verb.examples.empty() ? "" : "\nExamples:\n";
  for (const Example& example : verb.examples) {
    text += wrapped(example.meaning + ":", width, kIndent) + "    " + example.command + "\n";
  }
  return text;
}

std::string help_of_verb(const VerbInfo& verb, std::size_t width) {
  std::vector<Section> sections;
  if (!verb.positionals.empty()) sections.push_back({"Arguments", entries_of(verb.positionals)});
  for (const auto& [group, options] : groups_of(verb)) sections.push_back({group, entries_of(options)});
  std::string text =
      wrapped(verb.help, width, 0) + "\n" + wrapped("Usage: " + synopsis_of(verb), width, 0) + text_of(sections, width);
  text += examples_of(verb, width);
  return verb.footer.empty() ? text : text + "\n" + wrapped_lines(verb.footer, width);
}

std::string help_of_program(const CLI::App& program, std::size_t width) {
  std::vector<Entry> verbs;
  for (const VerbInfo& verb : option_tree(program)) verbs.emplace_back(verb.name, verb.help);
  return wrapped(program.get_description(), width, 0) + "\nUsage: octavo COMMAND [OPTIONS]\n" +
         text_of({{"Commands", verbs}, {"Options", entries_of(options_of(program))}}, width) + "\n" +
         wrapped_lines(program.get_footer(), width);
}

}  // namespace

std::string help_text(const CLI::App& app, std::size_t width) {
  return app.get_parent() == nullptr ? help_of_program(app, width) : help_of_verb(describe_verb(app), width);
}

}  // namespace octavo::tools
