// `octavo fetch`: a published set from its publisher's servers into a folder.
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>

#include "command.hpp"
#include "exit_code.hpp"
#include "fetch_text.hpp"
#include "interruption.hpp"
#include "progress_bar.hpp"

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
  throw InvalidArgument("read the command line: no set was named; octavo fetch --list shows those that are known");
}

FetchSummary fetch_set(const RemoteSet& set, const std::string& folder, const FetchArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard("interrupted; what was received is kept, and the same command goes on from there");
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
    return kDone;
  }
  if (arguments.list) {
    const RemoteSet set = known_set(arguments.name);
    arguments.json ? print_set_json(set) : print_set(set);
    return kDone;
  }
  const RemoteSet set = wanted_set(arguments);
  const std::string folder = arguments.folder.empty() ? set.name : arguments.folder;
  const FetchSummary summary = fetch_set(set, folder, arguments);
  arguments.json ? print_fetched_json(set, folder, summary) : print_fetched(set, folder, summary);
  return kDone;
}

}  // namespace

Command add_fetch_command(CLI::App& program) {
  auto arguments = std::make_shared<FetchArguments>();
  CLI::App* verb = add_verb(program, "fetch", "Fetch a well-known image set from its publisher", *arguments);
  auto* name = verb->add_option("NAME", arguments->name, "The set: mnist, cifar10, ...; --list shows all");
  verb->add_option("-o,--output", arguments->folder, "The folder for its files (one of the set's name)");
  auto* from = verb->add_option("--from", arguments->description,
                                "A JSON file that describes another set: its files, checksums and addresses");
  from->excludes(name);
  verb->add_flag("--list", arguments->list, "Show the known sets, or what NAME is; with --json, as --from reads it")
      ->excludes(from);
  verb->add_option("--mirror", arguments->mirrors, "An http or https address to fetch the files below, instead")
      ->allow_extra_args(false);
  verb->add_option("--retries", arguments->retries, "More attempts at an address after one that failed by chance (3)")
      ->check(CLI::Range(0, 1000));
  verb->add_option("--timeout", arguments->stall_seconds,
                   "Seconds without a connection, or with less than 1 KiB each, that end an attempt (30)")
      ->check(CLI::Range(1, 86400));
  verb->add_flag("--force", arguments->force, "Replace files of the same names that are not the published ones");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
