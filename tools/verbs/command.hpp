// A verb of the program, and its registration.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <string>

#include "help/option_tree.hpp"

namespace octavo::tools {

/// The options that every verb has.
struct CommonOptions {
  bool json = false;   ///< one JSON document on stdout, and nothing else there
  bool quiet = false;  ///< results only: no progress and no advice
};

/// A verb: the options that it adds to the command line, and its work, which returns the exit code and may throw.
struct Command {
  CLI::App* arguments = nullptr;
  std::function<int()> run;
};

/// Accepts numbers above 0. The error of CLI11's own check contains the largest double, with 309 digits.
inline CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0.0;
        const bool is_above = CLI::detail::lexical_cast(text, number) && number > 0.0;
        return is_above ? std::string() : text + " is not a number above 0";
      },
      "POSITIVE");
}

/// Accepts the seeds of random numbers.
inline CLI::Validator seed_number() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t number = 0;
        const bool is_seed = !text.starts_with('-') && CLI::detail::lexical_cast(text, number);
        return is_seed ? std::string() : text + " is not a whole number from 0 to 2^64 - 1";
      },
      "SEED");
}

/// Adds a verb with the options that every verb has.
inline CLI::App* add_verb(CLI::App& program, const std::string& name, const std::string& description,
                          CommonOptions& options) {
  CLI::App* verb = program.add_subcommand(name, description);
  verb->group("Commands")->footer("");
  verb->get_help_ptr()->group(kGeneralGroup);
  verb->add_flag("--json", options.json, "Write one JSON document to stdout, and nothing else")->group(kGeneralGroup);
  verb->add_flag("--quiet", options.quiet, "Print results only: no progress and no advice")->group(kGeneralGroup);
  return verb;
}

/// Prints the command that usually follows. With --quiet or --json, nothing.
inline void suggest_next(const CommonOptions& options, const std::string& command) {
  if (!options.quiet && !options.json) std::cout << "try next: " << command << '\n';
}

/// Each function adds its verb to the program. `command_line` is stored in the provenance of the dataset file.
Command add_pack_command(CLI::App& program, const std::string& command_line);
Command add_merge_command(CLI::App& program);
Command add_info_command(CLI::App& program);
Command add_verify_command(CLI::App& program);
Command add_doctor_command(CLI::App& program);
Command add_report_command(CLI::App& program);
Command add_plan_command(CLI::App& program);
Command add_bench_command(CLI::App& program);
Command add_train_command(CLI::App& program);
Command add_view_command(CLI::App& program);
Command add_export_command(CLI::App& program);
Command add_reindex_command(CLI::App& program);
Command add_repack_command(CLI::App& program, const std::string& command_line);
Command add_devices_command(CLI::App& program);
Command add_fetch_command(CLI::App& program);
Command add_skill_command(CLI::App& program);
/// These describe the verbs of `program`, which must stay alive.
Command add_completion_command(CLI::App& program);
Command add_manual_command(CLI::App& program);
Command add_help_command(CLI::App& program);

}  // namespace octavo::tools
