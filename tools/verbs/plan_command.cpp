// `octavo plan`: shows what fits on a device, from the file's header and a few samples.
#include <algorithm>
#include <iostream>
#include <memory>
#include <octavo/memory_size.hpp>
#include <octavo/plan.hpp>
#include <octavo/remote.hpp>
#include <octavo/tensor.hpp>
#include <octavo/text.hpp>
#include <string>

#include "exit_code.hpp"
#include "options/device_option.hpp"
#include "options/option_values.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct PlanArguments : CommonOptions {
  std::string file;
  std::string split;
  std::string device = "auto";
  std::string memory;
  std::string parameters;
  std::string activations;
  std::string optimizer = "momentum";
  std::string precision = "float32";
  std::string dtype = "float32";
  bool is_verbose = false;
  PlanOptions options{.estimated_samples = 1000};
};

/// The type called `name`, which the command line has checked.
DType dtype_of(const std::string& name) { return std::ranges::find(kDTypes, name, &DTypeInfo::name)->type; }

int run(const PlanArguments& arguments) {
  PlanOptions options = arguments.options;
  options.split = arguments.split;
  if (arguments.memory.empty()) {
    options.device = device_of_option(arguments.device);
  } else {
    options.memory_bytes = parse_memory_size(arguments.memory);
  }
  if (!arguments.parameters.empty()) options.model.parameter_count = parse_parameter_count(arguments.parameters);
  if (!arguments.activations.empty()) {
    options.model.activation_bytes_per_sample = parse_memory_size(arguments.activations, "MiB");
  }
  options.model.optimizer = parse_optimizer(arguments.optimizer);
  options.model.mixed_precision = arguments.precision == "mixed";
  options.dtype = dtype_of(arguments.dtype);
  const Plan found = plan(remote::open_dataset(arguments.file), options);
  std::cout << (arguments.json ? to_json(found) + "\n" : to_text(found, arguments.is_verbose));
  return kDone;
}

}  // namespace

Command add_plan_command(CLI::App& program) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* verb =
      add_verb(program, "plan", "Show what fits on a device: residency, largest batch, bytes of each part", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  verb->option_defaults()->group("Model and batches");
  verb->add_option("--split", arguments->split, "The split (train if it exists, else the first)");
  verb->option_defaults()->group("Device");
  CLI::Option* device = verb->add_option("--device", arguments->device, kDeviceHelp);
  verb->add_option("--memory", arguments->memory, "Plan for a GPU with this much memory, such as 24GiB")
      ->excludes(device);
  verb->add_option("--devices", arguments->options.world_size,
                   "Devices of this kind that share each batch, one process for each (1)")
      ->check(above_zero());
  verb->option_defaults()->group("Model and batches");
  verb->add_option("--params", arguments->parameters, "Trainable parameters of the model, such as 25.6M");
  verb->add_option("--optimizer", arguments->optimizer, "sgd, momentum or adam (momentum)")
      ->check(CLI::IsMember({"sgd", "momentum", "adam"}));
  verb->add_option("--activations", arguments->activations,
                   "Bytes that the model keeps per sample for the backward pass, such as 90MiB");
  verb->add_option("--precision", arguments->precision, "Training precision: float32 or mixed (float32)")
      ->check(CLI::IsMember({"float32", "mixed"}));
  verb->add_option("--dtype", arguments->dtype, "Data type of batches: " + either_of(image_type_names()) + " (float32)")
      ->check(CLI::IsMember(image_type_names()));
  verb->add_option("--batch-size", arguments->options.batch_size, "Samples per batch; a batch must fit (256)")
      ->check(above_zero());
  verb->option_defaults()->group("Compression");
  verb->add_option("--estimate", arguments->options.estimated_samples,
                   "Samples to encode, to estimate what repacking would save; 0: read only the header (1000)")
      ->check(CLI::NonNegativeNumber);
  verb->option_defaults()->group("Output");
  verb->add_flag("-v,--verbose", arguments->is_verbose, "Also show each use of memory and the reasons");
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
