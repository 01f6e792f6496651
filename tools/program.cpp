// The program `octavo`: reads the command line, runs the verb, and turns every failure into one line and an exit code.
#include "program.hpp"

#include <cxxabi.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <octavo/errors.hpp>
#include <octavo/option_names.hpp>
#include <octavo/text.hpp>
#include <octavo/version.hpp>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "exit_code.hpp"
#include "help/help_text.hpp"
#include "help/misspelling.hpp"
#include "help/terminal_width.hpp"
#include "interruption.hpp"
#include "options/option_values.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

constexpr const char* kNoMemory = "run octavo: not enough memory; free some, or use fewer threads";

/// Prints the message, which is one line. Allocates no memory: there may be none left.
int fail(std::string_view message, int exit_code) {
  std::cerr << "octavo: error: " << message << std::endl;
  return exit_code;
}

/// A message that may contain any bytes, as one line.
std::string as_line(std::string message) {
  std::ranges::replace(message, '\n', ' ');
  return printable(message);
}

std::vector<Command> add_commands(CLI::App& program, const std::string& command_line) {
  return {add_fetch_command(program),      add_pack_command(program, command_line),
          add_merge_command(program),      add_info_command(program),
          add_verify_command(program),     add_doctor_command(program),
          add_report_command(program),     add_plan_command(program),
          add_bench_command(program),      add_train_command(program),
          add_view_command(program),       add_export_command(program),
          add_reindex_command(program),    add_repack_command(program, command_line),
          add_devices_command(program),    add_skill_command(program),
          add_completion_command(program), add_manual_command(program),
          add_help_command(program)};
}

/// The verb that the command line names, or null. Used for "see octavo pack --help".
const Command* find_verb(const std::vector<Command>& commands, int argument_count, const char* const* arguments) {
  for (const Command& command : commands) {
    if (argument_count > 1 && command.arguments->get_name() == arguments[1]) return &command;
  }
  return nullptr;
}

/// `what` ends with ";" or "?".
int fail_to_read(const std::string& what, const Command* verb) {
  const std::string help = verb == nullptr ? "octavo --help" : "octavo " + verb->arguments->get_name() + " --help";
  return fail(as_line("read the command line: " + what + " see " + help), kWrongUsage);
}

/// The message for a command line that could not be parsed. A misspelled option is named first: the parser would
/// complain of its value, or of what is missing without it.
std::string describe_parse_error(const CLI::ParseError& error, const CLI::App& app,
                                 const std::vector<std::string>& words) {
  return describe_unknown_option(app, words).value_or(std::string(error.what()) + ";");
}

int run_verb(CLI::App& program, const std::vector<Command>& commands, int argument_count,
             const char* const* arguments) {
  const Command* verb = find_verb(commands, argument_count, arguments);
  if (argument_count < 2) return fail_to_read("no command given;", nullptr);
  if (verb == nullptr && arguments[1][0] != '-') {
    return fail_to_read(describe_unknown_verb(program, arguments[1]), nullptr);
  }
  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    // --help and --version arrive as errors of exit code 0.
    if (error.get_exit_code() == 0) return program.exit(error, std::cout, std::cerr);
    const std::vector<std::string> words(arguments + (verb == nullptr ? 1 : 2), arguments + argument_count);
    return fail_to_read(describe_parse_error(error, verb == nullptr ? program : *verb->arguments, words), verb);
  }
  if (verb == nullptr) return fail_to_read("no command given;", nullptr);
  return verb->run();
}

/// Prints a message of the library, with options as on the command line.
int fail_in_library(const char* what, int exit_code) {
  try {
    return fail(as_line(with_command_line_options(what)), exit_code);
  } catch (const std::bad_alloc&) {
    return fail(what, exit_code);
  }
}

/// Runs `work` and turns its exceptions into an exit code. The only place that catches.
template <typename Work>
int run_and_catch(const Work& work) {
  try {
    return work();
  } catch (const Interrupted& interruption) {
    return fail(interruption.what(), kSignalBase + interruption.signal_number());
  } catch (const DataError& error) {
    return fail_in_library(error.what(), kFailed);
  } catch (const InvalidArgument& error) {
    return fail_in_library(error.what(), kWrongUsage);
  } catch (const std::bad_alloc&) {
    return fail(kNoMemory, kFailed);
  } catch (const std::exception& error) {
    return fail_in_library(error.what(), kFailed);
  }
}

/// Whether stdout is a pipe whose reader is gone.
bool is_pipe_closed() {
  pollfd output = {STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

/// Flushes stdout. A closed pipe is not worth an error message; a full disk is. If an earlier write failed, the reason
/// is lost.
int finish_output(int exit_code) {
  errno = 0;
  std::cout.flush();
  if (std::cout.good()) return exit_code;
  if (errno == EPIPE || is_pipe_closed()) return kSignalBase + SIGPIPE;
  const std::string why = errno != 0 ? std::strerror(errno) : "not everything could be written";
  return fail("write to stdout: " + why + "; check the space on the disk", kFailed);
}

int run_command_line(int argument_count, const char* const* arguments) {
  CLI::App program("Packs image datasets into int8 files for GPU training, and works with those files.", "octavo");
  program.formatter_fn(
      [](const CLI::App* app, const std::string&, CLI::AppFormatMode) { return help_text(*app, terminal_width()); });
  program.require_subcommand(0, 1);  // after the verb, "pack" is a value: `octavo info pack`
  program.set_version_flag("--version", "octavo " + std::string(kVersion));
  program.footer(
      "Run octavo help COMMAND for the options of a command, with examples. Every command that works on data accepts "
      "--json and --quiet.");
  const auto commands = add_commands(program, quote_command_line(argument_count, arguments));
  return run_verb(program, commands, argument_count, arguments);
}

/// Handles exceptions that cannot be caught. They occur when memory runs out in library code that must not throw: the
/// destructor of a JSON document, or the listing of a folder in libstdc++, where the exception's type is lost.
[[noreturn]] void end_without_memory() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  const bool is_bad_alloc = type == nullptr ? std::uncaught_exceptions() > 0 : *type == typeid(std::bad_alloc);
  if (is_bad_alloc) ::_exit(fail(kNoMemory, kFailed));
  std::abort();
}

}  // namespace

int run_program(int argument_count, const char* const* arguments) {
  std::set_terminate(&end_without_memory);
  install_signal_handlers();
  int exit_code = run_and_catch([&] { return run_command_line(argument_count, arguments); });
  exit_code = run_and_catch([&] { return finish_output(exit_code); });
  // Work that finished before the signal could stop it is kept. The exit code still reports the signal, so that a
  // script does not continue.
  return exit_code == kDone && received_signal_number() != 0 ? kSignalBase + received_signal_number() : exit_code;
}

}  // namespace octavo::tools
