// `octavo help`: the same as --help, of the program or of a verb.
#include <iostream>
#include <memory>
#include <octavo/errors.hpp>

#include "exit_code.hpp"
#include "help/help_text.hpp"
#include "help/misspelling.hpp"
#include "help/terminal_width.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

/// The verb of this name.
const CLI::App& verb_named(const CLI::App& program, const std::string& name) {
  const auto found = program.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  if (!found.empty()) return *found.front();
  throw InvalidArgument("read the command line: " + describe_unknown_verb(program, name) + " see octavo --help");
}

}  // namespace

Command add_help_command(CLI::App& program) {
  const auto name = std::make_shared<std::string>();
  CLI::App* help = program.add_subcommand("help", "Show the help of a command");
  help->group("Commands")->footer("");
  help->add_option("COMMAND", *name, "The command; without one, all commands are listed");
  return {help, [&program, name] {
            std::cout << help_text(name->empty() ? program : verb_named(program, *name), terminal_width());
            return kDone;
          }};
}

}  // namespace octavo::tools
