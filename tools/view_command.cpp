// `octavo view`: draws a contact sheet of samples, or of a batch as training sees it.
#include <iostream>
#include <memory>
#include <octavo/augment.hpp>
#include <octavo/batch_maker.hpp>
#include <octavo/dataset.hpp>
#include <octavo/recipes.hpp>
#include <octavo/view.hpp>

#include "augment_option.hpp"
#include "command.hpp"
#include "drawn_text.hpp"
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
  std::string augment;
  std::string recipe;
  bool no_shuffle = false;
  bool list = false;
  std::int64_t count = 0;       ///< 0: not given
  std::int64_t batch_size = 0;  ///< 0: not given
};

/// More images make a sheet that nobody looks at.
constexpr std::int64_t kMostOfRecipe = 100;

LoaderOptions loader_options(const ViewArguments& arguments, const Split& split) {
  LoaderOptions options = arguments.sheet.loader;
  options.shuffle = !arguments.no_shuffle;
  if (!arguments.recipe.empty()) {
    const bool has_classes = split.labels().kind == LabelKind::class_index;
    const std::int64_t classes = has_classes ? std::ssize(split.class_names()) : 0;
    const Recipe recipe = make_recipe(arguments.recipe, classes, arguments.sheet.epoch);
    options.batch_size = recipe.batch_size;
    options.spec = recipe.train;
  }
  if (!arguments.augment.empty()) options.spec.augment = augment::parse(arguments.augment);
  if (arguments.batch_size > 0) options.batch_size = arguments.batch_size;
  options.batch_size = std::min(options.batch_size, split.sample_count());
  options.spec.augment_seed = options.seed;
  return options;
}

ContactSheetOptions sheet_options(const ViewArguments& arguments, const Split& split) {
  ContactSheetOptions options = arguments.sheet;
  if (arguments.count > 0) options.count = arguments.count;
  if (arguments.batch < 0) return options;
  options.batch = arguments.batch;
  options.loader = loader_options(arguments, split);
  if (arguments.count > 0) return options;
  options.count = options.loader.batch_size;
  if (!arguments.recipe.empty()) options.count = std::min(options.count, kMostOfRecipe);
  return options;
}

/// What the shown samples of a batch drew.
std::vector<DrawnSample> drawn_samples(const Split& split, const ContactSheetOptions& options) {
  const Store store = Store::load(split, Device::cpu(), {.residency = Residency::streamed});
  std::vector<DrawnSample> drawn = BatchMaker(store, options.loader).drawn(options.epoch, *options.batch);
  if (std::ssize(drawn) > options.count) drawn.resize(static_cast<std::size_t>(options.count));
  return drawn;
}

void print_batch(const ViewArguments& arguments, const Split& split, const ContactSheetOptions& options) {
  std::vector<DrawnSample> drawn;
  if (arguments.list) drawn = drawn_samples(split, options);
  if (arguments.json) {
    Json document = {{"file", arguments.output},
                     {"split", options.split},
                     {"batch", *options.batch},
                     {"epoch", options.epoch},
                     {"batch_size", options.loader.batch_size},
                     {"augment", augment::describe(options.loader.spec.augment)}};
    if (arguments.list) document["samples"] = as_json(drawn, split);
    print_json(document);
    return;
  }
  std::cout << arguments.output << ": batch " << *options.batch << " of epoch " << options.epoch << ", split "
            << options.split << '\n';
  if (!options.loader.spec.augment.empty()) {
    std::cout << "  " << augment::describe(options.loader.spec.augment) << '\n';
  }
  if (arguments.list) print_drawn(drawn, split);
}

int run(const ViewArguments& arguments) {
  const Dataset dataset = Dataset::open(arguments.file);
  const Split split =
      dataset.split(arguments.sheet.split.empty() ? dataset.split_names().front() : arguments.sheet.split);
  ContactSheetOptions options = sheet_options(arguments, split);
  options.split = split.name();
  {
    const CleanUpOnInterruption guard;
    write_contact_sheet(dataset, arguments.output, options);
  }
  if (options.batch) {
    print_batch(arguments, split, options);
  } else if (arguments.json) {
    print_json({{"file", arguments.output}, {"split", options.split}, {"first", options.first}});
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
  verb.add_option("--count", arguments->count,
                  "Number of samples to show (100; with --batch, the whole batch, of a recipe at most 100)")
      ->check(above_zero());
  verb.add_option("--first", sheet.first, "Index of the first sample to show (0)")->check(CLI::NonNegativeNumber);
  verb.add_option("--columns", sheet.columns, "Samples per row (as many as make the sheet about square)")
      ->check(above_zero());
  verb.add_option("--scale", sheet.scale, "Draw each pixel of a sample as a square with this side, in pixels")
      ->check(above_zero());
  CLI::Option* batch = verb.add_option("--batch,--step", arguments->batch,
                                       "Show this batch of an epoch, counted from 0, as training sees it")
                           ->check(CLI::NonNegativeNumber);
  verb.add_option("--epoch", sheet.epoch, "The epoch of the batch (0)")->check(CLI::NonNegativeNumber)->needs(batch);
  verb.add_option("--batch-size", arguments->batch_size, "Samples per batch (100, or that of the recipe)")
      ->check(above_zero())
      ->needs(batch);
  verb.add_option("--seed", sheet.loader.seed, "Seed of the order and the augmentation (0)")->needs(batch);
  verb.add_flag("--no-shuffle", arguments->no_shuffle, "Take samples in file order")->needs(batch);
  CLI::Option* augmented = verb.add_option("--augment", arguments->augment, kAugmentHelp)->needs(batch);
  std::vector<std::string> recipes;
  for (const RecipeInfo& info : kRecipes) recipes.emplace_back(info.name);
  verb.add_option("--recipe", arguments->recipe, "Batches as this recipe trains with")
      ->check(CLI::IsMember(recipes))
      ->needs(batch)
      ->excludes(augmented);
  verb.add_flag("--list", arguments->list, "List the samples of the batch: index, class, and what was drawn for each")
      ->needs(batch);
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
