// `octavo doctor`: what in a dataset file would spoil training or a benchmark.
#include <iostream>
#include <memory>
#include <octavo/doctor.hpp>
#include <octavo/option_names.hpp>
#include <octavo/remote.hpp>

#include "exit_code.hpp"
#include "progress_bar.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct DoctorArguments : CommonOptions {
  std::string file;
  std::string group_by;
  std::size_t example_count = 3;
  int threads = 0;
  bool is_strict = false;
};

DoctorReport examine_file(const DoctorArguments& arguments) {
  const Dataset dataset = remote::open_dataset(arguments.file);
  ProgressBar bar(arguments.quiet);
  DoctorOptions options;
  options.group_by = arguments.group_by;
  options.example_count = arguments.example_count;
  options.thread_count = arguments.threads;
  options.on_progress = bar.function();
  return examine(dataset, options);
}

int run(const DoctorArguments& arguments) {
  const DoctorReport report = examine_file(arguments);
  const std::string text =
      arguments.json ? to_json(report, with_command_line_options) + "\n" : to_text(report, with_command_line_options);
  std::cout << text;
  const bool has_problems = report.count_of(DoctorSeverity::error) + report.count_of(DoctorSeverity::warning) > 0;
  return arguments.is_strict && has_problems ? kFailed : kDone;
}

/// The table of checks, for the help.
std::string list_of_checks() {
  std::string text = "Checks:\n";
  for (const DoctorCheckInfo& info : kDoctorChecks) {
    text += "  " + std::string(to_string(info.severity)) + ": " + std::string(info.meaning) + "\n";
  }
  return text;
}

}  // namespace

Command add_doctor_command(CLI::App& program) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* verb = add_verb(program, "doctor", "Find what would spoil training or a benchmark", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  verb->add_flag("--strict", arguments->is_strict, "Exit with 1 if there is an error or a warning");
  verb->add_option(
      "--group-by", arguments->group_by,
      "What must be in one split: a column, or path:REGEX, whose first capture group in a sample's name is its group "
      "(columns such as patient, subject or video)");
  verb->add_option("--examples", arguments->example_count, "Examples of each finding (3)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--jobs,--threads", arguments->threads, "Number of threads (all that are available)")
      ->check(above_zero());
  verb->footer(list_of_checks());
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
