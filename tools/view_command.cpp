// `octavo view`: draws a contact sheet of samples, or of a batch as training sees it.
#include <iostream>
#include <memory>
#include <octavo/dataset.hpp>
#include <octavo/view.hpp>

#include "command.hpp"
#include "exit_code.hpp"
#include "interruption.hpp"
#include "json_output.hpp"

namespace octavo::tools {
namespace {

struct ViewArguments : CommonOptions {
  std::string file;
  std::string output;
  ContactSheetOptions sheet;
  std::int64_t batch = -1;
  bool no_shuffle = false;
  bool count_is_given = false;
};

ContactSheetOptions sheet_options(const ViewArguments& arguments) {
  ContactSheetOptions options = arguments.sheet;
  options.loader.shuffle = !arguments.no_shuffle;
  if (arguments.batch < 0) return options;
  options.batch = arguments.batch;
  if (!arguments.count_is_given) options.count = options.loader.batch_size;
  return options;
}

int run(const ViewArguments& arguments) {
  const Dataset dataset = Dataset::open(arguments.file);
  ContactSheetOptions options = sheet_options(arguments);
  if (options.split.empty()) options.split = dataset.split_names().front();
  {
    const CleanUpOnInterruption guard;
    write_contact_sheet(dataset, arguments.output, options);
  }
  if (arguments.json) {
    Json document = {{"file", arguments.output}, {"split", options.split}};
    if (options.batch) {
      document.update({{"batch", *options.batch}, {"epoch", options.epoch}, {"batch_size", options.loader.batch_size}});
    } else {
      document["first"] = options.first;
    }
    print_json(document);
  } else if (options.batch) {
    std::cout << arguments.output << ": batch " << *options.batch << " of epoch " << options.epoch << ", split "
              << options.split << '\n';
  } else {
    std::cout << arguments.output << ": samples of split " << options.split << ", starting at index " << options.first
              << '\n';
  }
  return kDone;
}

void add_options(CLI::App& verb, const std::shared_ptr<ViewArguments>& arguments) {
  ContactSheetOptions& sheet = arguments->sheet;
  verb.add_option("FILE", arguments->file, "A dataset file")->required();
  verb.add_option("-o,--output", arguments->output, "The PNG file to write")->required();
  verb.add_flag("--force", sheet.replace_existing, "Replace the output file if it exists");
  verb.add_option("--split", sheet.split, "The split to show (the first)");
  verb.add_option_function<std::int64_t>(
          "--count",
          [arguments](const std::int64_t& count) {
            arguments->sheet.count = count;
            arguments->count_is_given = true;
          },
          "Number of samples to show (100; with --batch, the whole batch)")
      ->check(above_zero());
  verb.add_option("--first", sheet.first, "Index of the first sample to show (0)")->check(CLI::NonNegativeNumber);
  verb.add_option("--columns", sheet.columns, "Samples per row (as many as make the sheet about square)")
      ->check(above_zero());
  verb.add_option("--scale", sheet.scale, "Draw each pixel of a sample as a square with this side, in pixels")
      ->check(above_zero());
  CLI::Option* batch =
      verb.add_option("--batch", arguments->batch, "Show this batch of an epoch, counted from 0, as training sees it")
          ->check(CLI::NonNegativeNumber);
  verb.add_option("--epoch", sheet.epoch, "The epoch of the batch (0)")->check(CLI::NonNegativeNumber)->needs(batch);
  verb.add_option("--batch-size", sheet.loader.batch_size, "Samples per batch (100)")
      ->check(above_zero())
      ->needs(batch);
  verb.add_option("--seed", sheet.loader.seed, "Seed of the order (0)")->needs(batch);
  verb.add_flag("--no-shuffle", arguments->no_shuffle, "Take samples in file order")->needs(batch);
}

}  // namespace

Command add_view_command(CLI::App& program) {
  auto arguments = std::make_shared<ViewArguments>();
  CLI::App* verb =
      add_verb(program, "view", "Draw a contact sheet of samples, or of a batch as training sees it", *arguments);
  add_options(*verb, arguments);
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
