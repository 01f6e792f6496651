// `octavo merge`: makes one dataset of shards.
#include <memory>
#include <octavo/shards.hpp>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/option_values.hpp"
#include "progress_bar.hpp"
#include "text/shard_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct MergeArguments : CommonOptions {
  std::string folder;
  bool with_virtual_dataset = false;
  bool force = false;
};

int run(const MergeArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard;
  const MergeSummary merged = merge_shards(arguments.folder, {.with_virtual_dataset = arguments.with_virtual_dataset,
                                                              .replace_existing = arguments.force,
                                                              .on_progress = bar.function()});
  arguments.json ? print_json(as_json(merged)) : print_merge(merged);
  suggest_next(arguments, "octavo info " + quote_word(arguments.folder));
  return kDone;
}

}  // namespace

Command add_merge_command(CLI::App& program) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* verb = add_verb(program, "merge", "Make one dataset of the shards in a folder", *arguments);
  verb->add_option("FOLDER", arguments->folder, "The --output of octavo pack --shards")->required();
  verb->add_flag("--vds", arguments->with_virtual_dataset,
                 "Also write dataset.h5, an HDF5 file that reads the samples from the shards, for h5py");
  verb->add_flag("--force", arguments->force, "Replace dataset.h5 if it exists");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
