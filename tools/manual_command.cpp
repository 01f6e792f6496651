// `octavo manual`: writes the man pages.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/version.hpp>
#include <sstream>

#include "command.hpp"
#include "exit_code.hpp"
#include "option_tree.hpp"

namespace octavo::tools {
namespace {

/// Text for roff: hyphens stay hyphens, and no line begins with a control character.
std::string roff(const std::string& text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string head(const std::string& page, const std::string& help) {
  std::string title = page;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".TH " + roff(title) + " 1 \"\" \"octavo " + std::string(kVersion) + "\" \"Octavo\"\n.SH NAME\n" + roff(page) +
         " \\- " + roff(help) + "\n";
}

std::string heading_of(const OptionInfo& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  std::string value = option.value;
  for (std::size_t i = 0; i < option.choices.size(); ++i) value = (i == 0 ? "" : value + "|") + option.choices[i];
  return option.value.empty() ? text : text + " \\fI" + roff(value) + "\\fR";
}

std::string list_of(const std::string& title, const std::vector<OptionInfo>& options) {
  std::string text = options.empty() ? "" : ".SH " + title + "\n";
  for (const OptionInfo& option : options) text += ".TP\n" + heading_of(option) + "\n" + roff(option.help) + "\n";
  return text;
}

/// docs/reliability.md and exit_code.hpp.
const char* const kExitStatus =
    ".SH EXIT STATUS\n"
    "0 if all went well; 1 for an error, or if a file that was checked is damaged; 2 for wrong usage; 128 plus the "
    "number of a signal that ended the program.\n";

std::string page_of(const VerbInfo& verb) {
  std::string synopsis = ".SH SYNOPSIS\n\\fBoctavo " + roff(verb.name) + "\\fR [\\fIOPTIONS\\fR]";
  for (const OptionInfo& positional : verb.positionals) {
    synopsis += " \\fI" + roff(positional.names[0]) + "\\fR" + (positional.is_repeated ? "..." : "");
  }
  return head("octavo-" + verb.name, verb.help) + synopsis + "\n" + list_of("ARGUMENTS", verb.positionals) +
         list_of("OPTIONS", verb.options) + kExitStatus + ".SH SEE ALSO\n\\fBoctavo\\fR(1)\n";
}

std::string main_page(const CLI::App& program, const std::vector<VerbInfo>& verbs) {
  std::string text = head("octavo", program.get_description()) +
                     ".SH SYNOPSIS\n\\fBoctavo\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH VERBS\n";
  for (const VerbInfo& verb : verbs) {
    text += ".TP\n\\fBoctavo\\-" + roff(verb.name) + "\\fR(1)\n" + roff(verb.help) + "\n";
  }
  return text + kExitStatus;
}

void write_page(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder / (name + ".1");
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw IoError("write the man page \"" + path.string() + "\": " + std::generic_category().message(errno));
}

}  // namespace

Command add_manual_command(CLI::App& program) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* verb = program.add_subcommand("manual", "Write the man pages to a folder");
  verb->group("Verbs")->footer("");
  verb->add_option("FOLDER", *folder, "An existing folder, such as ~/.local/share/man/man1")->required();
  return {verb, [&program, folder] {
            const auto verbs = option_tree(program);
            write_page(*folder, "octavo", main_page(program, verbs));
            for (const VerbInfo& one : verbs) write_page(*folder, "octavo-" + one.name, page_of(one));
            std::cout << *folder << ": " << verbs.size() + 1 << " man pages\n";
            return kDone;
          }};
}

}  // namespace octavo::tools
