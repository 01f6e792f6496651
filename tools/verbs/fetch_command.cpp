// `octavo fetch`: downloads a published dataset from its publisher's servers into a folder.
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "progress_bar.hpp"
#include "text/fetch_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct FetchArguments : CommonOptions {
  std::string name;
  std::string folder;
  std::string description;
  std::vector<std::string> mirrors;
  int retries = FetchOptions{}.retries;
  int stall_seconds = FetchOptions{}.stall_seconds;
  bool force = false;
  bool list = false;
};

RemoteSet wanted_set(const FetchArguments& arguments) {
  if (!arguments.description.empty()) return read_set(arguments.description);
  if (!arguments.name.empty()) return known_set(arguments.name);
  throw InvalidArgument("read the command line: no dataset named; octavo fetch --list shows the known ones");
}

FetchSummary fetch_set(const RemoteSet& set, const std::string& folder, const FetchArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard("interrupted; received data is kept: run the same command again to resume");
  FetchOptions options;
  options.mirrors = arguments.mirrors;
  options.retries = arguments.retries;
  options.stall_seconds = arguments.stall_seconds;
  options.replace_existing = arguments.force;
  options.on_progress = bar.function();
  return fetch(set, folder, options);
}

int run(const FetchArguments& arguments) {
  if (arguments.list && arguments.name.empty()) {
    arguments.json ? print_known_sets_json() : print_known_sets();
    suggest_next(arguments, "octavo fetch " + known_sets().front().name);
    return kDone;
  }
  if (arguments.list) {
    const RemoteSet set = known_set(arguments.name);
    arguments.json ? print_set_json(set) : print_set(set);
    suggest_next(arguments, "octavo fetch " + set.name);
    return kDone;
  }
  const RemoteSet set = wanted_set(arguments);
  const std::string folder = arguments.folder.empty() ? set.name : arguments.folder;
  const FetchSummary summary = fetch_set(set, folder, arguments);
  arguments.json ? print_fetched_json(set, folder, summary) : print_fetched(set, folder, summary);
  suggest_next(arguments, pack_command(set, folder));
  return kDone;
}

}  // namespace

Command add_fetch_command(CLI::App& program) {
  auto arguments = std::make_shared<FetchArguments>();
  CLI::App* verb = add_verb(program, "fetch", "Download a well-known image dataset from its publisher", *arguments);
  auto* name = verb->add_option("NAME", arguments->name, "The dataset: mnist, cifar10, ...; --list shows all");
  verb->add_option("-o,--output", arguments->folder, "The folder for its files (./NAME)");
  auto* from = verb->add_option("--from", arguments->description,
                                "A JSON file that describes another dataset: files, checksums and URLs");
  from->excludes(name);
  verb->add_flag("--list", arguments->list,
                 "List the known datasets, or describe NAME; --json writes the form that --from reads")
      ->excludes(from);
  verb->add_option("--mirror", arguments->mirrors, "Download the files from below this http or https URL instead")
      ->allow_extra_args(false);
  verb->add_option("--retries", arguments->retries, "Retries per URL after a transient error (3)")
      ->check(CLI::Range(0, 1000));
  verb->add_option("--timeout", arguments->stall_seconds,
                   "End an attempt after this many seconds without a connection or below 1 KiB/s (30)")
      ->check(CLI::Range(1, 86400));
  verb->add_flag("--force", arguments->force, "Replace existing files that differ from the published ones");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
