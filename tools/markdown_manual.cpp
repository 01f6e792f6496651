#include "markdown_manual.hpp"

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
    text += "- " + markdown_codes(option.names) + markdown_value(option) + ": " + escape_markdown(option.help) + "\n";
  }
  return text + (options.empty() ? "" : "\n");
}

std::string markdown_section(const VerbInfo& verb) {
  std::string synopsis = "octavo " + verb.name + " [OPTIONS]";
  for (const OptionInfo& positional : verb.positionals) {
    synopsis += " " + positional.names[0] + (positional.is_repeated ? "..." : "");
  }
  return "## octavo " + verb.name + "\n\n" + escape_markdown(verb.help) + ".\n\n```text\n" + synopsis + "\n```\n\n" +
         markdown_list("Arguments", verb.positionals) + markdown_list("Options", verb.options);
}

}  // namespace

std::string markdown_manual(const std::string& description, const std::vector<VerbInfo>& verbs) {
  std::string text =
      "# Command line\n\n" + escape_markdown(description) + "\n\n```text\noctavo VERB [OPTIONS]\n```\n\n";
  for (const VerbInfo& verb : verbs) text += markdown_section(verb);
  return text + "## Exit status\n\n" + escape_markdown(kExitStatusText) + "\n";
}

}  // namespace octavo::tools
