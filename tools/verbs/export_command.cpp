// `octavo export`: writes a dataset file as images or arrays.
#include <iostream>
#include <memory>
#include <octavo/dataset.hpp>
#include <octavo/export.hpp>
#include <octavo/remote.hpp>
#include <string>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/option_values.hpp"
#include "progress_bar.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct ExportArguments : CommonOptions {
  std::string file;
  std::string folder;
  std::string format = "png";
};

ExportSummary export_file(const ExportArguments& arguments, const Dataset& dataset) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard;
  ExportOptions options;
  options.format = arguments.format == "png" ? ExportFormat::png : ExportFormat::npy;
  options.on_progress = bar.function();
  return export_dataset(dataset, arguments.folder, options);
}

int run(const ExportArguments& arguments) {
  const Dataset dataset = remote::open_dataset(arguments.file);
  const ExportSummary summary = export_file(arguments, dataset);
  std::int64_t sample_count = 0;
  Json splits = Json::object();
  for (const std::string& name : dataset.split_names()) {
    splits[name] = dataset.split(name).sample_count();
    sample_count += dataset.split(name).sample_count();
  }
  if (arguments.json) {
    print_json({{"folder", arguments.folder},
                {"as", arguments.format},
                {"sample_count", sample_count},
                {"splits", splits},
                {"notes", summary.notes}});
    return kDone;
  }
  std::cout << arguments.folder << ": " << counted(sample_count, "sample") << " in "
            << counted(static_cast<std::int64_t>(splits.size()), "split") << ", as "
            << (arguments.format == "png" ? "PNG images" : "NumPy arrays") << '\n';
  for (const std::string& note : summary.notes) std::cout << "  note: " << note << '\n';
  if (arguments.format == "png") {
    suggest_next(arguments, "octavo pack " + quote_word(arguments.folder) + " -o FILE.h5");
  }
  return kDone;
}

}  // namespace

Command add_export_command(CLI::App& program) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* verb =
      add_verb(program, "export", "Write the samples of a dataset file as images or NumPy arrays", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  verb->add_option("-o,--output", arguments->folder, "The output folder, new or empty")->required();
  verb->add_option("--as", arguments->format, "png: one image per sample and octavo.json; npy: arrays (png)")
      ->check(CLI::IsMember({"png", "npy"}));
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
