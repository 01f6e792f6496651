// `octavo train`: trains a small reference model on a dataset file.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <octavo/errors.hpp>
#include <octavo/memory_size.hpp>
#include <octavo/remote.hpp>
#include <octavo/residency.hpp>
#include <octavo/text.hpp>
#include <octavo/train.hpp>
#include <optional>

#include "exit_code.hpp"
#include "options/augment_option.hpp"
#include "options/cache_options.hpp"
#include "options/device_option.hpp"
#include "options/option_values.hpp"
#include "text/human_units.hpp"
#include "text/train_text.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct TrainArguments : CommonOptions {
  std::string file;
  std::string model = "mlp";
  std::string device = "auto";
  std::string normalize = "default";
  std::string augment;
  std::optional<double> learning_rate;
  std::string residency = "auto";
  std::string shuffle = "global";
  std::string memory_limit;
  TrainOptions training;
  bool compare_float32 = false;
  CacheArguments cache;
};

TrainOptions train_options(const TrainArguments& arguments) {
  TrainOptions options = arguments.training;
  options.model = arguments.model == "mlp" ? ModelKind::mlp : ModelKind::softmax;
  options.device = device_of_option(arguments.device);
  options.spec = BatchSpec::preset(arguments.normalize);
  options.spec.augment = augment::parse(arguments.augment);
  options.spec.augment_seed = options.seed;
  if (arguments.learning_rate) options.learning_rate = *arguments.learning_rate;
  options.load.residency = parse_residency(arguments.residency);
  options.shuffle = parse_shuffle(arguments.shuffle);
  if (!arguments.memory_limit.empty()) options.load.memory_limit_bytes = parse_memory_size(arguments.memory_limit);
  return options;
}

/// Stops after a NaN or infinite loss: further epochs would waste time.
void check_loss(const TrainArguments& arguments, const EpochResult& result) {
  if (std::isfinite(result.mean_loss)) return;
  throw Error("train on \"" + remote::shown_location(arguments.file) + "\": the loss is not finite after epoch " +
              std::to_string(result.epoch) + "; lower --lr");
}

void print_head(const TrainArguments& arguments, const TrainOptions& options) {
  std::cout << "Training " << (options.model == ModelKind::mlp ? "an MLP with " : "softmax regression");
  if (options.model == ModelKind::mlp) std::cout << counted(options.hidden_units, "hidden unit");
  std::cout << " on " << remote::shown_location(arguments.file) << ", " << to_string(chosen(options.device))
            << ", batch size " << options.batch_size << ", " << describe(options.spec)
            << (arguments.augment.empty() ? "" : ", " + augment::describe(options.spec.augment)) << std::endl;
}

Json head_as_json(const TrainArguments& arguments, const TrainOptions& options) {
  return {{"file", remote::shown_location(arguments.file)},
          {"model", arguments.model},
          {"device", to_string(chosen(options.device))},
          {"batch_size", options.batch_size},
          {"seed", options.seed},
          {"normalize", arguments.normalize},
          {"augment", arguments.augment},
          {"evaluated_split", options.test_split.empty() ? Json(nullptr) : Json(options.test_split)}};
}

int run_once(const TrainArguments& arguments, const Dataset& dataset, TrainOptions options) {
  options.on_epoch = [&](const EpochResult& result) {
    if (!arguments.json) print_epoch(result, options.test_split, "");
    check_loss(arguments, result);
  };
  const TrainResult result = train(dataset, options);
  if (arguments.json) {
    Json document = head_as_json(arguments, options);
    document.update(as_json(result));
    print_json(document);
  } else {
    print_result(result, options.test_split);
  }
  return kDone;
}

int run_comparison(const TrainArguments& arguments, const Dataset& dataset, TrainOptions options) {
  // Each epoch is reported twice: first int8, then float32.
  bool is_float32 = false;
  options.on_epoch = [&](const EpochResult& result) {
    if (!arguments.json) print_epoch(result, options.test_split, is_float32 ? "float32" : "int8   ");
    is_float32 = !is_float32;
    check_loss(arguments, result);
  };
  const ResidencyComparison comparison = compare_residencies(dataset, options);
  if (arguments.json) {
    Json document = head_as_json(arguments, options);
    document.update(as_json(comparison));
    print_json(document);
  } else {
    print_comparison(comparison);
  }
  return kDone;
}

/// The default normalization divides by 128, which suits values of 0 ... 255.
void note_other_range(const TrainArguments& arguments, const Split& split) {
  const auto& quantization = split.statistics().quantization;
  const bool is_8_bit = std::ranges::all_of(quantization, [](const auto& q) { return q == ChannelQuantization(); });
  if (arguments.normalize != "default" || is_8_bit) return;
  std::cerr << "octavo: note: the values of " << split.name()
            << " are not 0 ... 255, which the default normalization expects; pass --normalize standard" << std::endl;
}

int run(const TrainArguments& arguments) {
  TrainOptions options = train_options(arguments);
  const Dataset dataset = open_with_cache(arguments.file, arguments.cache);
  note_other_range(arguments,
                   options.train_split.empty() ? dataset.training_split() : dataset.split(options.train_split));
  options.test_split = evaluated_split(dataset, options);
  if (!arguments.json) print_head(arguments, options);
  return arguments.compare_float32 ? run_comparison(arguments, dataset, options)
                                   : run_once(arguments, dataset, options);
}

void add_options(CLI::App& verb, TrainArguments& arguments) {
  TrainOptions& training = arguments.training;
  verb.add_option("FILE", arguments.file, "A dataset file with class labels")->required();
  verb.option_defaults()->group("Model and training");
  verb.add_option("--model", arguments.model, "softmax: one layer; mlp: one hidden layer with ReLU (mlp)")
      ->check(CLI::IsMember({"softmax", "mlp"}));
  verb.add_option("--hidden", training.hidden_units, "Units of the hidden layer (1024)")->check(above_zero());
  verb.add_option("--epochs", training.epochs, "Number of epochs (10)")->check(above_zero());
  verb.add_option("--batch-size", training.batch_size, "Samples per batch (128)")->check(above_zero());
  verb.add_option("--lr", arguments.learning_rate, "Learning rate (chosen for the model)");
  verb.add_option("--momentum", training.momentum, "Momentum (0.9)");
  verb.add_option("--seed", training.seed, "Seed of the initial weights and the order (0)")->check(seed_number());
  verb.add_flag("--compare-float32", arguments.compare_float32, "Also train from float32 samples, and compare");
  verb.option_defaults()->group("Batches");
  verb.add_option("--device", arguments.device, kDeviceHelp);
  verb.add_option("--normalize", arguments.normalize,
                  choices_help("How batches are centered and scaled (default)", kPresets))
      ->check(CLI::IsMember(names_of(kPresets)));
  verb.add_option("--augment", arguments.augment, augment_help());
  verb.add_option("--shuffle", arguments.shuffle, "The order of an epoch: global, blocks, windows:N, none (global)");
  verb.add_option("--residency", arguments.residency, choices_help("Where samples live (auto)", kResidencies))
      ->check(CLI::IsMember(names_of(kResidencies)));
  verb.add_option("--memory-limit", arguments.memory_limit, "Device memory that samples may use, such as 2GiB");
  add_cache_options(verb, arguments.cache);
}

}  // namespace

Command add_train_command(CLI::App& program) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* verb = add_verb(program, "train", "Train a small reference model on a dataset file", *arguments);
  add_options(*verb, *arguments);
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
