// `octavo reindex`: rebuilds a dataset file that another HDF5 program changed.
#include <iostream>
#include <memory>
#include <octavo/reindex.hpp>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/option_values.hpp"
#include "progress_bar.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct ReindexArguments : CommonOptions {
  std::string file;
  std::string output;
  bool accept_changes = false;
  bool force = false;
};

ReindexSummary reindex_file(const ReindexArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard;
  ReindexOptions options;
  options.accept_changes = arguments.accept_changes;
  options.replace_existing = arguments.force;
  options.on_progress = bar.function();
  return reindex(arguments.file, arguments.output, options);
}

int run(const ReindexArguments& arguments) {
  const ReindexSummary summary = reindex_file(arguments);
  if (arguments.json) {
    print_json({{"file", arguments.output},
                {"sample_count", summary.sample_count},
                {"changed_samples", summary.changed_samples},
                {"left_out", summary.left_out}});
    return kDone;
  }
  std::cout << arguments.output << ": " << counted(summary.sample_count, "sample") << " rebuilt, "
            << format_count(summary.changed_samples) << " of them changed\n";
  for (const std::string& name : summary.left_out) std::cout << "  note: not copied: " << printable(name) << '\n';
  suggest_next(arguments, "octavo verify " + quote_word(arguments.output));
  return kDone;
}

}  // namespace

Command add_reindex_command(CLI::App& program) {
  auto arguments = std::make_shared<ReindexArguments>();
  CLI::App* verb = add_verb(program, "reindex",
                            "Rebuild a dataset file after editing it with h5py or another HDF5 program", *arguments);
  verb->add_option("FILE", arguments->file, "The edited file, which is not modified")->required();
  verb->add_option("-o,--output", arguments->output, "The dataset file to write")->required();
  verb->add_flag("--accept-changes", arguments->accept_changes,
                 "Also accept samples and labels that differ from their checksums");
  verb->add_flag("--force", arguments->force, "Replace the output file if it exists");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
