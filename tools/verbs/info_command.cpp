// `octavo info`: what is in a dataset file.
#include <memory>
#include <octavo/duplicates.hpp>
#include <octavo/remote.hpp>

#include "exit_code.hpp"
#include "progress_bar.hpp"
#include "text/info_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct InfoArguments : CommonOptions {
  std::string file;
  bool with_duplicates = false;
  bool is_verbose = false;
};

int run(const InfoArguments& arguments) {
  const Dataset dataset = remote::open_dataset(arguments.file);
  DatasetOverview overview = survey(dataset);
  if (arguments.with_duplicates) {
    ProgressBar bar(arguments.quiet);
    overview.duplicates = find_duplicates(dataset, 0, bar.function());
  }
  arguments.json ? print_overview_json(overview) : print_overview(overview, arguments.is_verbose);
  return kDone;
}

}  // namespace

Command add_info_command(CLI::App& program) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* verb = add_verb(program, "info", "Show what is in a dataset file", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  verb->add_flag("--duplicates", arguments->with_duplicates,
                 "Read all samples and list those that occur more than once, within a split or across splits");
  verb->add_flag("-v,--verbose", arguments->is_verbose, "Also show the file's details, statistics and provenance");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
