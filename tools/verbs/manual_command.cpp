// `octavo manual`: writes the man pages, or the same as one Markdown page.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/version.hpp>
#include <sstream>

#include "exit_code.hpp"
#include "help/markdown_manual.hpp"
#include "help/option_tree.hpp"
#include "verbs/command.hpp"

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

std::string list_of(const std::vector<OptionInfo>& options) {
  std::string text;
  for (const OptionInfo& option : options) {
    text += ".TP\n" + heading_of(option) + "\n" + roff(option.help + condition_of(option)) + "\n";
  }
  return text;
}

std::string lists_of_options(const VerbInfo& verb) {
  std::string text = ".SH OPTIONS\n";
  const auto groups = groups_of(verb);
  for (const auto& [group, options] : groups) {
    text += (groups.size() > 1 ? ".SS " + roff(group) + "\n" : "") + list_of(options);
  }
  return text;
}

std::string examples_of(const VerbInfo& verb) {
  std::string text = ".SH EXAMPLES\n";
  for (const Example& example : verb.examples) {
    text += ".TP\n" + roff(example.meaning) + ":\n\\fB" + roff(example.command) + "\\fR\n";
  }
  return text;
}

/// The lines of a footer stay lines.
std::string notes_of(const VerbInfo& verb) {
  if (verb.footer.empty()) return "";
  std::string text = ".SH NOTES\n.nf\n";
  std::istringstream lines(verb.footer);
  for (std::string line; std::getline(lines, line);) text += roff(line) + "\n";
  return text + ".fi\n";
}

std::string exit_status() { return ".SH EXIT STATUS\n" + roff(kExitStatusText) + "\n"; }

std::string page_of(const VerbInfo& verb) {
  const std::string arguments = verb.positionals.empty() ? "" : ".SH ARGUMENTS\n" + list_of(verb.positionals);
  return head("octavo-" + verb.name, verb.help) + ".SH SYNOPSIS\n" + roff(synopsis_of(verb)) + "\n" + arguments +
         lists_of_options(verb) + examples_of(verb) + notes_of(verb) + exit_status() +
         ".SH SEE ALSO\n\\fBoctavo\\fR(1)\n";
}

std::string main_page(const CLI::App& program, const std::vector<VerbInfo>& verbs) {
  std::string text = head("octavo", program.get_description()) +
                     ".SH SYNOPSIS\n\\fBoctavo\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH VERBS\n";
  for (const VerbInfo& verb : verbs) {
    text += ".TP\n\\fBoctavo\\-" + roff(verb.name) + "\\fR(1)\n" + roff(verb.help) + "\n";
  }
  return text + exit_status();
}

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw IoError("create the folder \"" + folder.string() + "\": " + error.message() + "; choose another folder");
}

void write_page(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file)
    throw IoError("write the manual page \"" + path.string() + "\": " + std::generic_category().message(errno));
}

}  // namespace

Command add_manual_command(CLI::App& program) {
  struct Options {
    std::string folder;
    bool is_markdown = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* verb = program.add_subcommand("manual", "Write the man pages to a folder");
  verb->group("Commands")->footer("");
  verb->add_option("FOLDER", options->folder, "A folder, such as ~/.local/share/man/man1; created if it is missing")
      ->required();
  verb->add_flag("--markdown", options->is_markdown, "Write one Markdown page, octavo.md, instead of man pages");
  return {verb, [&program, options] {
            const auto verbs = option_tree(program);
            const std::filesystem::path folder = options->folder;
            create_folder(folder);
            if (options->is_markdown) {
              write_page(folder / "octavo.md", markdown_manual(program.get_description(), verbs));
              std::cout << (folder / "octavo.md").string() << ": " << verbs.size() << " commands\n";
              return kDone;
            }
            write_page(folder / "octavo.1", main_page(program, verbs));
            for (const VerbInfo& one : verbs) write_page(folder / ("octavo-" + one.name + ".1"), page_of(one));
            std::cout << options->folder << ": " << verbs.size() + 1 << " man pages\n";
            return kDone;
          }};
}

}  // namespace octavo::tools
