// `octavo repack`: makes a new dataset file from others: a subset, a merge, or with another compression.
#include <algorithm>
#include <memory>
#include <octavo/compression.hpp>
#include <octavo/dataset.hpp>
#include <octavo/pack.hpp>
#include <octavo/remote.hpp>
#include <octavo/text.hpp>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/compression_options.hpp"
#include "options/option_values.hpp"
#include "progress_bar.hpp"
#include "text/pack_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct RepackArguments : CommonOptions {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
  CompressionArguments compression;
  std::string class_map;
  std::string select;
  std::int64_t limit = 0;
  std::string holdout;
  std::string group_by;
  std::uint64_t seed = 0;
  bool allow_mismatch = false;
  bool no_names = false;
  std::string on_error = "stop";
  bool reproducible = false;
  int jobs = 0;
};

/// The compression of the first split; other splits may differ.
Compression compression_of(const std::string& location) {
  const Dataset dataset = remote::open_dataset(location);
  return dataset.split(dataset.split_names()[0]).compression();
}

SourceOptions source_options(const RepackArguments& arguments) {
  SourceOptions options;
  options.format = "octavo";
  if (!arguments.class_map.empty()) options.class_map = read_class_map(arguments.class_map);
  options.select = arguments.select;
  if (arguments.limit != 0) options.limit = arguments.limit;
  if (!arguments.holdout.empty()) options.holdout = parse_holdout(arguments.holdout);
  options.group_by = arguments.group_by;
  options.seed = arguments.seed;
  // That of one file was accepted when it was packed.
  options.allow_mismatch = arguments.allow_mismatch || arguments.files.size() == 1;
  options.thread_count = arguments.jobs;
  options.open_url = [](const std::string& url) { return remote::open_dataset(url); };
  return options;
}

int run(const RepackArguments& arguments, const std::string& command_line) {
  check(arguments.compression, Compression::lp8);  // by default that of a file, which packing checks
  std::vector<SourceSpec> specs;
  for (const std::string& text : arguments.files) specs.push_back(parse_source(text));
  const auto source = open_source(specs, source_options(arguments));

  PackOptions options;
  options.skip_bad_samples = arguments.on_error == "skip";
  if (arguments.no_names) options.with_names = false;
  options.reproducible = arguments.reproducible;
  options.command_line = command_line;
  options.replace_existing = arguments.force;
  options.thread_count = arguments.jobs;
  ProgressBar bar(arguments.quiet);
  options.on_progress = bar.function();
  const CleanUpOnInterruption guard;
  // The source has the name of a URL, without what may be secret.
  const std::string first = source->files().at(0);
  const std::string first_file = remote::is_url(first) ? parse_source(arguments.files.at(0)).path.string() : first;
  const auto open = [&] { return open_source(specs, source_options(arguments)); };
  const std::string note = set_compression(arguments.compression, compression_of(first_file), open, options);
  PackSummary summary = pack(*source, arguments.output, options);
  if (!note.empty()) summary.notes.insert(summary.notes.begin(), note);
  list_skipped(summary.skipped);
  arguments.json ? print_summary_json(arguments.output, summary) : print_summary(arguments.output, *source, summary);
  suggest_next(arguments, "octavo info " + quote_word(arguments.output));
  return kDone;
}

}  // namespace

Command add_repack_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<RepackArguments>();
  CLI::App* verb =
      add_verb(program, "repack", "Make a dataset file from others: a subset, a merge, other compression", *arguments);
  verb->add_option("FILE", arguments->files, "[NEW_SPLIT=]FILE[::SPLIT]: a dataset file, or one split of it")
      ->required();
  verb->add_option("-o,--output", arguments->output, "The dataset file to write")->required();
  verb->add_flag("--force", arguments->force, "Replace the output file if it exists");
  add_compression_options(
      *verb, arguments->compression,
      "none, deflate, lp8, lc8, or auto: the fastest of none, lp8 and lc8 that fits in the memory of "
      "the GPU (that of the first file)");
  verb->add_option("--class-map", arguments->class_map, "A file of OLD=NEW lines that rename or merge classes");
  verb->add_option("--select", arguments->select, "Keep only the classes that match this glob");
  verb->add_option("--limit", arguments->limit, "Keep at most this many samples per split")->check(above_zero());
  verb->add_option("--holdout", arguments->holdout,
                   "What of train becomes the split val: a fraction below 1, K:FOLDS (fold K, from 0, of FOLDS), or "
                   "COLUMN=VALUE");
  verb->add_option("--group-by", arguments->group_by,
                   "Keep all samples of a group in one split: a column, such as the patient, or path:REGEX");
  verb->add_option("--seed", arguments->seed, "Seed of the holdout (0)")->check(seed_number());
  verb->add_flag("--allow-mismatch", arguments->allow_mismatch,
                 "Accept splits of several image shapes, and classes that train lacks");
  verb->add_option("--on-error", arguments->on_error, "What to do if a sample is damaged (stop)")
      ->check(CLI::IsMember({"stop", "skip"}));
  verb->add_flag("--no-names", arguments->no_names, "Store no names of samples");
  verb->add_flag("--reproducible", arguments->reproducible,
                 "Store no time and no command line, so that equal input gives equal bytes");
  verb->add_option("--jobs,--threads", arguments->jobs, "Number of threads (all that are available)")
      ->check(above_zero());
  return {verb, [arguments, command_line] { return run(*arguments, command_line); }};
}

}  // namespace octavo::tools
