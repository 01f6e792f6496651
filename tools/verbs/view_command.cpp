// `octavo view`: draws a contact sheet of samples, or of a batch as training sees it.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <octavo/augment.hpp>
#include <octavo/dataset.hpp>
#include <octavo/recipes.hpp>
#include <octavo/remote.hpp>
#include <octavo/text.hpp>
#include <octavo/view.hpp>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/augment_option.hpp"
#include "options/option_values.hpp"
#include "text/view_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct ViewArguments : CommonOptions {
  std::string file;
  std::string output;
  ContactSheetOptions sheet;
  std::int64_t batch = -1;
  std::string augment;
  std::string recipe;
  std::vector<std::string> classes;
  bool no_shuffle = false;
  bool no_captions = false;
  bool no_masks = false;
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

/// A class, or classes separated by commas, unless this is the name of one class.
std::vector<std::int32_t> classes_in(const std::string& text, const Split& split) {
  const bool is_one = std::ranges::find(split.class_names(), text) != split.class_names().end();
  if (is_one) return {find_class(split, text)};
  std::vector<std::int32_t> classes;
  for (const std::string& one : split_at_commas(text)) classes.push_back(find_class(split, one));
  return classes;
}

ContactSheetOptions sheet_options(const ViewArguments& arguments, const Split& split) {
  ContactSheetOptions options = arguments.sheet;
  options.split = split.name();
  options.captions = !arguments.no_captions;
  options.masks = !arguments.no_masks;
  for (const std::string& text : arguments.classes) {
    const std::vector<std::int32_t> classes = classes_in(text, split);
    options.classes.insert(options.classes.end(), classes.begin(), classes.end());
  }
  if (arguments.count > 0) options.count = arguments.count;
  if (arguments.batch < 0) return options;
  options.batch = arguments.batch;
  options.loader = loader_options(arguments, split);
  if (arguments.count > 0) return options;
  options.count = options.loader.batch_size;
  if (!arguments.recipe.empty()) options.count = std::min(options.count, kMostOfRecipe);
  return options;
}

/// The given file or, in the current folder, one named after the dataset.
std::string output_file(const ViewArguments& arguments) {
  if (!arguments.output.empty()) return arguments.output;
  const std::string batch = arguments.batch < 0 ? "" : "-batch" + std::to_string(arguments.batch);
  return std::filesystem::path(remote::shown_location(arguments.file)).stem().string() + batch + ".png";
}

int run(const ViewArguments& arguments) {
  const Dataset dataset = remote::open_dataset(arguments.file);
  const Split split =
      dataset.split(arguments.sheet.split.empty() ? dataset.split_names().front() : arguments.sheet.split);
  const ContactSheetOptions options = sheet_options(arguments, split);
  const std::string output = output_file(arguments);
  std::vector<MaskShare> legend;
  {
    const CleanUpOnInterruption guard;
    legend = write_contact_sheet(dataset, output, options);
  }
  print_sheet({output, split, options, legend, arguments.list, arguments.json});
  return kDone;
}

void add_options(CLI::App& verb, const std::shared_ptr<ViewArguments>& arguments) {
  ContactSheetOptions& sheet = arguments->sheet;
  verb.add_option("FILE", arguments->file, "A dataset file")->required();
  verb.option_defaults()->group("Output");
  verb.add_option("-o,--output", arguments->output,
                  "The PNG file to write (named after the dataset, in the current folder)");
  verb.add_flag("--force", sheet.replace_existing, "Replace the output file if it exists");
  verb.option_defaults()->group("Samples");
  verb.add_option("--split", sheet.split, "The split to show (the first)");
  CLI::Option* count =
      verb.add_option("--count", arguments->count,
                      "Number of samples to show (100; with --batch, the whole batch, of a recipe at most 100)")
          ->check(above_zero());
  CLI::Option* first =
      verb.add_option("--first", sheet.first, "Index of the first sample to show (0)")->check(CLI::NonNegativeNumber);
  CLI::Option* classes =
      verb.add_option("--class", arguments->classes,
                      "Show only samples with one of these classes: names or numbers, with commas between them")
          ->allow_extra_args(false);
  CLI::Option* indices =
      verb.add_option("--indices", sheet.indices, "Show exactly these samples, in this order: 3,17,42")
          ->check(CLI::NonNegativeNumber)
          ->delimiter(',')
          ->allow_extra_args(false)
          ->excludes(first)
          ->excludes(count)
          ->excludes(classes);
  verb.option_defaults()->group("Output");
  verb.add_option("--columns", sheet.columns, "Samples per row (as many as make the sheet about square)")
      ->check(above_zero());
  verb.add_option("--scale", sheet.scale, "Draw each pixel of a sample as a square with this side, in pixels")
      ->check(above_zero());
  verb.option_defaults()->group("A batch");
  CLI::Option* batch = verb.add_option("--batch,--step", arguments->batch,
                                       "Show this batch of an epoch, counted from 0, as training sees it")
                           ->check(CLI::NonNegativeNumber)
                           ->excludes(classes)
                           ->excludes(indices);
  verb.add_option("--epoch", sheet.epoch, "The epoch of the batch (0)")->check(CLI::NonNegativeNumber)->needs(batch);
  verb.add_option("--batch-size", arguments->batch_size, "Samples per batch (100, or that of the recipe)")
      ->check(above_zero())
      ->needs(batch);
  verb.add_option("--seed", sheet.loader.seed, "Seed of the order and the augmentation (0)")
      ->check(seed_number())
      ->needs(batch);
  verb.add_flag("--no-shuffle", arguments->no_shuffle, "Take samples in file order")->needs(batch);
  CLI::Option* augmented = verb.add_option("--augment", arguments->augment, augment_help())->needs(batch);
  verb.add_option("--recipe", arguments->recipe, choices_help("Batches as this recipe trains with", kRecipes))
      ->check(CLI::IsMember(names_of(kRecipes)))
      ->needs(batch)
      ->excludes(augmented);
  verb.option_defaults()->group("Output");
  verb.add_flag("--no-captions", arguments->no_captions, "Leave out the classes or targets below the samples");
  verb.add_flag("--no-masks", arguments->no_masks, "Draw images without their masks");
  verb.add_flag("--list", arguments->list,
                "List the samples: index, class and name; of a batch, what was drawn for each");
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
