// `octavo pack`: packs images into one dataset file.
#include <iostream>
#include <map>
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/compression_options.hpp"
#include "options/option_values.hpp"
#include "options/shard_options.hpp"
#include "progress_bar.hpp"
#include "text/pack_text.hpp"
#include "text/shard_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

const std::map<std::string, ArrayLayout> kLayouts = {
    {"auto", ArrayLayout::automatic}, {"hw", ArrayLayout::hw}, {"hwc", ArrayLayout::hwc}, {"chw", ArrayLayout::chw}};
const std::map<std::string, Fit> kFits = {{"crop", Fit::crop}, {"pad", Fit::pad}, {"stretch", Fit::stretch}};
const std::map<std::string, std::optional<LabelKind>> kLabelChoices = {
    {"auto", std::nullopt}, {"class", LabelKind::class_index}, {"target", LabelKind::target}};
const std::map<std::string, ClassOrder> kClassOrders = {{"bytes", ClassOrder::bytes}, {"natural", ClassOrder::natural}};

CLI::IsMember one_of_formats() {
  std::vector<std::string> names;
  for (const SourceFormat& format : source_formats()) names.emplace_back(format.name);
  return CLI::IsMember(names);
}

/// Replaces the alias of a format by its name.
std::string to_format_name(std::string name) {
  for (const SourceFormat& format : source_formats()) {
    if (std::ranges::find(format.aliases, name) != format.aliases.end()) return std::string(format.name);
  }
  return name;
}

struct PackArguments : CommonOptions {
  std::vector<std::string> sources;
  std::string output;
  std::string format = "auto";
  std::string size;
  std::string fit = "crop";
  std::int64_t channels = 0;
  int jobs = 0;
  std::string holdout;
  std::string group_by;
  std::uint64_t seed = 0;
  bool names = false;
  bool no_names = false;
  bool allow_loss = false;
  bool allow_mismatch = false;
  std::string on_error = "stop";
  std::uint64_t most_pixels = SourceOptions().largest_image_pixels;
  std::int64_t most_ratio = SourceOptions().largest_archive_ratio;
  bool force = false;
  bool append = false;
  std::string classes;
  std::string class_map;
  std::string class_order = "bytes";
  std::string masks = "auto";
  std::string path_column;
  std::string image_root;
  std::vector<std::string> label_columns;
  std::string label_separator = SourceOptions().label_separator;
  std::string mask_colors;
  std::string label_kind = "auto";
  std::string columns;
  std::string layout = "auto";
  std::string range = "auto";
  std::string background;
  bool dry_run = false;
  std::int64_t limit = 0;
  std::string select;
  bool reproducible = false;
  CompressionArguments compression;
  ShardArguments shards;
};

SourceOptions source_options(const PackArguments& arguments) {
  SourceOptions options;
  options.format = arguments.format;
  if (!arguments.size.empty()) options.size = parse_size(arguments.size);
  options.fit = kFits.at(arguments.fit);
  if (arguments.channels != 0) options.channels = arguments.channels;
  if (!arguments.background.empty()) options.background = parse_color(arguments.background);
  options.class_order = kClassOrders.at(arguments.class_order);
  options.with_masks = arguments.masks != "off";
  if (arguments.masks != "auto" && arguments.masks != "off") options.mask_pattern = arguments.masks;
  if (!arguments.mask_colors.empty()) options.mask_colors = read_mask_colors(arguments.mask_colors);
  options.path_column = arguments.path_column;
  options.image_root = arguments.image_root;
  options.label_columns = arguments.label_columns;
  options.label_separator = arguments.label_separator;
  options.label_kind = kLabelChoices.at(arguments.label_kind);
  options.columns = split_at_commas(arguments.columns);
  options.layout = kLayouts.at(arguments.layout);
  options.range = parse_range(arguments.range);
  if (!arguments.classes.empty()) options.class_names = read_class_names(arguments.classes);
  if (!arguments.class_map.empty()) options.class_map = read_class_map(arguments.class_map);
  options.select = arguments.select;
  if (arguments.limit != 0) options.limit = arguments.limit;
  if (!arguments.holdout.empty()) options.holdout = parse_holdout(arguments.holdout);
  options.group_by = arguments.group_by;
  options.seed = arguments.seed;
  options.allow_mismatch = arguments.allow_mismatch;
  options.skip_unreadable = arguments.on_error == "skip";
  options.largest_image_pixels = arguments.most_pixels;
  options.largest_archive_ratio = arguments.most_ratio;
  options.thread_count = arguments.jobs;
  return options;
}

PackOptions pack_options(const PackArguments& arguments, const std::string& command_line) {
  PackOptions options;
  if (arguments.names || arguments.no_names) options.with_names = arguments.names;
  options.allow_loss = arguments.allow_loss;
  options.allow_mismatch = arguments.allow_mismatch;
  options.skip_bad_samples = arguments.on_error == "skip";
  options.reproducible = arguments.reproducible;
  options.command_line = command_line;
  options.replace_existing = arguments.force;
  options.thread_count = arguments.jobs;
  return options;
}

PackSummary pack_source(Source& source, const PackArguments& arguments, const std::vector<SourceSpec>& specs,
                        const std::string& command_line) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard;
  PackOptions options = pack_options(arguments, command_line);
  options.on_progress = bar.function();
  const auto open = [&] { return open_source(specs, source_options(arguments)); };
  const std::string note = set_compression(arguments.compression, Compression::none, open, options);
  if (arguments.append) return append(source, arguments.output, options);
  PackSummary summary = pack(source, arguments.output, options);
  if (!note.empty()) summary.notes.insert(summary.notes.begin(), note);
  return summary;
}

/// What tells apart sources that are opened with other options; paths differ between workers.
std::string source_arguments(const PackArguments& arguments) {
  return Json({arguments.format,        arguments.size,        arguments.fit,           arguments.channels,
               arguments.background,    arguments.class_order, arguments.masks,         arguments.path_column,
               arguments.label_columns, arguments.label_kind,  arguments.columns,       arguments.label_separator,
               arguments.layout,        arguments.range,       arguments.select,        arguments.limit,
               arguments.holdout,       arguments.group_by,    arguments.seed,          arguments.mask_colors,
               arguments.class_map,     arguments.classes,     arguments.allow_mismatch})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Packs the shards of this process, and merges them if these are all.
int pack_shards(const PackArguments& arguments, const std::vector<SourceSpec>& specs) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard;
  PackOptions options = pack_options(arguments, "");
  options.reproducible = true;
  options.on_progress = bar.function();
  const auto open = [&] { return open_source(specs, source_options(arguments)); };
  set_compression(arguments.compression, Compression::none, open, options);
  const std::vector<Shard> mine = shards_to_pack(arguments.shards);
  if (mine.empty()) {
    std::cerr << "octavo: there are fewer shards than workers; this one has none to pack\n";
    return kDone;
  }
  ShardPacker packer(open, source_arguments(arguments), arguments.output, mine[0].count, options);
  Json shards = Json::array();
  for (const Shard& shard : mine) {
    const ShardSummary summary = packer.pack(shard.number);
    list_skipped(summary.packed.skipped);
    if (arguments.json) {
      shards.push_back(as_json(summary));
    } else {
      print_shard(summary);
    }
  }
  Json document = {{"shards", std::move(shards)}};
  if (arguments.shards.are_all()) {
    const MergeSummary merged = merge_shards(arguments.output, {.on_progress = bar.function()});
    document["merged"] = as_json(merged);
    if (!arguments.json) print_merge(merged);
  }
  if (arguments.json) print_json(document);
  suggest_next(arguments,
               (arguments.shards.are_all() ? "octavo info " : "octavo merge ") + quote_word(arguments.output));
  return kDone;
}

/// Before any source is opened.
void check_shard_options(const PackArguments& arguments) {
  static_cast<void>(shards_to_pack(arguments.shards));
  if (arguments.append) {
    throw InvalidArgument("read the command line: --append adds one shard; leave out --shards and --shard");
  }
}

/// "--size 64 48" leaves the second number as a source.
void check_size_is_one_word(const PackArguments& arguments) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!is_number(arguments.size)) return;
  for (const std::string& source : arguments.sources) {
    if (!is_number(source) || std::filesystem::exists(source)) continue;
    throw InvalidArgument("read --size: got two numbers, " + arguments.size + " and " + source + "; write " +
                          arguments.size + "x" + source);
  }
}

int run(const PackArguments& arguments, const std::string& command_line) {
  check_size_is_one_word(arguments);
  if (arguments.output.empty() && !arguments.dry_run) {
    throw InvalidArgument("read the command line: --output is required; see octavo pack --help");
  }
  // Appended splits have the compression of the file.
  check(arguments.compression, arguments.append ? Compression::lp8 : Compression::none);
  if (arguments.shards.is_given()) check_shard_options(arguments);
  std::vector<SourceSpec> specs;
  for (const std::string& text : arguments.sources) specs.push_back(parse_source(text));
  if (arguments.shards.is_given() && !arguments.dry_run) return pack_shards(arguments, specs);
  const auto source = open_source(specs, source_options(arguments));
  if (arguments.dry_run) {
    list_skipped(source->left_out());
    arguments.json ? print_plan_json(*source) : print_plan(*source);
    return kDone;
  }
  const PackSummary summary = pack_source(*source, arguments, specs, command_line);
  list_skipped(summary.skipped);
  arguments.json ? print_summary_json(arguments.output, summary) : print_summary(arguments.output, *source, summary);
  suggest_next(arguments, "octavo info " + quote_word(arguments.output));
  return kDone;
}

template <typename Value>
CLI::IsMember one_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return CLI::IsMember(names);
}

void add_source_options(CLI::App& verb, PackArguments& arguments) {
  verb.add_option("SOURCE", arguments.sources,
                  "[SPLIT=]PATH[::IMAGES[::[LABEL_FILE::]LABELS]]: a file, folder or archive, and which of its arrays "
                  "to read; without SPLIT=, splits are recognized by their names")
      ->required();
  verb.option_defaults()->group("Images");
  verb.add_option("--format", arguments.format, "The format of the sources (auto)")
      ->transform(to_format_name, "")
      ->check(one_of_formats());
  verb.add_option("--size", arguments.size, "HxW, or S for SxS: resize images to this height and width");
  verb.add_option("--fit", arguments.fit, "With --size: crop to the center, pad with the background, or stretch (crop)")
      ->check(one_of(kFits));
  verb.add_option("--channels", arguments.channels, "1: gray, 3: RGB (gray if all images are gray, else RGB)")
      ->check(CLI::IsMember({1, 3}));
  verb.add_option("--background", arguments.background,
                  "The color behind transparency and padding: #RRGGBB or R,G,B (black)");
  verb.option_defaults()->group("Labels");
  verb.add_option("--classes", arguments.classes,
                  "A file of class names in label order, one per line; of several label columns, those of the classes");
  verb.add_option("--class-map", arguments.class_map, "A file of OLD=NEW lines that rename or merge classes");
  verb.add_option("--class-order", arguments.class_order, "How class folders are sorted (bytes)")
      ->check(one_of(kClassOrders));
  verb.add_option("--path-column", arguments.path_column,
                  "The column of an image list that holds the paths (file_name, path, image_id, ...)");
  verb.add_option("--image-root", arguments.image_root,
                  "The folder that the paths in image lists are relative to, or in if they are absolute (that of the "
                  "list)");
  // One value for each time the option is given, so that a SOURCE that follows is no column.
  verb.add_option(
          "--label-column", arguments.label_columns,
          "The column of an image list that holds the labels (label, class, target, ...); several, separated by "
          "commas or with the option repeated, are multi-labels or targets")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option(
      "--label-separator", arguments.label_separator,
      "What separates several classes in one label: space, comma, semicolon, bar, tab or a text; none: each "
      "label is one class; auto: guessed, or an error if in doubt (auto)");
  verb.add_option("--label-kind", arguments.label_kind,
                  "The labels of lists and WebDataset shards: class numbers or names, or targets; auto: whole numbers "
                  "and names are classes, other numbers targets (auto)")
      ->check(one_of(kLabelChoices));
  verb.add_option(
      "--columns", arguments.columns,
      "Columns of an image list to keep with each sample, separated by commas; all, none, or by default all "
      "if their text has at most 64 MiB");
  verb.option_defaults()->group("Arrays");
  verb.add_option("--layout", arguments.layout, "The axes of an image in arrays, after the axis N (auto)")
      ->check(one_of(kLayouts));
  verb.add_option("--range", arguments.range,
                  "For arrays and images that are not 8-bit, the values that become 0 and 255: LOW,HIGH for all "
                  "channels, LOW,HIGH,LOW,HIGH,... for each, minmax, percentile:99.9, or auto (exact if possible, else "
                  "minmax)");
  verb.option_defaults()->group("Samples and splits");
  verb.add_option("--select", arguments.select, "Pack only the classes or paths that match this glob");
  verb.add_option("--limit", arguments.limit, "Pack at most this many samples per split")->check(above_zero());
  verb.add_option("--holdout", arguments.holdout,
                  "What of train becomes the split val: a fraction below 1, K:FOLDS (fold K, from 0, of FOLDS), or "
                  "COLUMN=VALUE");
  verb.add_option("--group-by", arguments.group_by,
                  "Keep all samples of a group in one split: a column, such as the patient, or path:REGEX");
  verb.add_option("--seed", arguments.seed, "Seed of the holdout (0)")->check(seed_number());
  verb.option_defaults()->group("Labels");
  verb.add_option("--masks", arguments.masks,
                  "auto: pack folders of masks next to folders of images, and mask columns; off: pack no masks; or the "
                  "name of the mask of an image, such as {stem}_mask.png or img_{stem}=mask_{stem}.png (auto)");
  verb.add_option("--mask-colors", arguments.mask_colors,
                  "A file that gives the class of each color of RGB masks: lines R,G,B,CLASS, CSV or JSON");
  verb.option_defaults()->group("Errors and limits");
  verb.add_flag(
      "--allow-loss", arguments.allow_loss,
      "Accept that fewer than 16 levels of numbers with more values are kept, or that most values are outside the "
      "range");
  verb.add_flag("--allow-mismatch", arguments.allow_mismatch,
                "Accept splits of several image shapes, and classes that train, or the file with --append, lacks");
  verb.add_option("--on-error", arguments.on_error, "What to do if a sample cannot be read (stop)")
      ->check(CLI::IsMember({"stop", "skip"}));
  verb.add_option("--max-pixels", arguments.most_pixels,
                  "Reject images that declare more pixels than this (" + std::to_string(arguments.most_pixels) + ")")
      ->check(above_zero());
  verb.add_option("--max-ratio", arguments.most_ratio,
                  "Reject archives that expand to more than this many times their size (" +
                      std::to_string(arguments.most_ratio) + ")")
      ->check(above_zero());
}

void add_output_options(CLI::App& verb, PackArguments& arguments) {
  verb.option_defaults()->group("Output");
  verb.add_option("-o,--output", arguments.output, "The dataset file to write");
  auto* force = verb.add_flag("--force", arguments.force, "Replace the output file if it exists");
  auto* compress = add_compression_options(
      verb, arguments.compression,
      "lp8: lossless without --max-error, and stays compressed in memory; lc8: smaller, and slower to decode; auto: "
      "the "
      "fastest of none, lp8 and lc8 that fits in the memory of the GPU, or lp8 without a GPU; deflate: for other HDF5 "
      "programs (none)");
  verb.add_flag(
          "--append", arguments.append,
          "Add the splits to the existing output file, with the compression of that file; to a dataset of shards, "
          "add the samples as one more shard")
      ->excludes(force)
      ->excludes(compress);
  auto* names = verb.add_flag("--names", arguments.names,
                              "Store where each sample came from, also for arrays (only for samples that are files)");
  verb.add_flag("--no-names", arguments.no_names, "Store no names of samples")->excludes(names);
  verb.add_flag("--reproducible", arguments.reproducible,
                "Store no time and no command line, so that equal input gives equal bytes");
  verb.add_flag("--dry-run", arguments.dry_run, "Only show what would be packed");
  verb.add_option("--jobs,--threads", arguments.jobs, "Number of threads (all that are available)")
      ->check(above_zero());
}

}  // namespace

Command add_pack_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<PackArguments>();
  CLI::App* verb = add_verb(program, "pack", "Pack images into one int8 dataset file", *arguments);
  add_source_options(*verb, *arguments);
  add_output_options(*verb, *arguments);
  add_shard_options(*verb, arguments->shards);
  return {verb, [arguments, command_line] { return run(*arguments, command_line); }};
}

}  // namespace octavo::tools
