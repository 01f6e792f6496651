#include "help/markdown_manual.hpp"

#include "exit_code.hpp"

namespace octavo::tools {
namespace {

/// Text without markup: characters that mean something in Markdown or HTML appear as they are.
std::string escape_markdown(const std::string& text) {
  static const std::string kMarkup = "\\`*_{}[]#";
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (kMarkup.find(c) != std::string::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string markdown_codes(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "`" : ", `") + word + "`";
  return text;
}

std::string markdown_value(const OptionInfo& option) {
  if (!option.choices.empty()) return " (" + markdown_codes(option.choices) + ")";
  return option.value.empty() ? "" : " *" + escape_markdown(option.value) + "*";
}

std::string markdown_list(const std::string& title, const std::vector<OptionInfo>& options) {
  std::string text = options.empty() ? "" : "**" + title + "**\n\n";
  for (const OptionInfo& option : options) {
    text += "- " + markdown_codes(option.names) + markdown_value(option) + ": " +
            escape_markdown(option.help + condition_of(option)) + "\n";
  }
  return text + (options.empty() ? "" : "\n");
}

std::string markdown_examples(const VerbInfo& verb) {
  std::string text = "**Examples**\n\n";
  for (const Example& example : verb.examples) {
    text += escape_markdown(example.meaning) + ":\n\n```sh\n" + example.command + "\n```\n\n";
  }
  return text;
}

std::string markdown_section(const VerbInfo& verb) {
  std::string text = "## octavo " + verb.name + "\n\n" + escape_markdown(verb.help) + ".\n\n```text\n" +
                     synopsis_of(verb) + "\n```\n\n" + markdown_list("Arguments", verb.positionals);
  for (const auto& [group, options] : groups_of(verb)) text += markdown_list(group, options);
  return text + markdown_examples(verb);
}

}  // namespace

std::string markdown_manual(const std::string& description, const std::vector<VerbInfo>& verbs) {
  std::string text =
      "# Command line\n\n" + escape_markdown(description) + "\n\n```text\noctavo COMMAND [OPTIONS]\n```\n\n";
  for (const VerbInfo& verb : verbs) text += markdown_section(verb);
  return text + "## Exit status\n\n" + escape_markdown(kExitStatusText) + "\n";
}

}  // namespace octavo::tools
