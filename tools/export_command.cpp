// `octavo export`: writes a dataset file as images or arrays.
#include <algorithm>
#include <iostream>
#include <memory>
#include <octavo/dataset.hpp>
#include <octavo/export.hpp>
#include <octavo/text.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "exit_code.hpp"
#include "human_units.hpp"
#include "interruption.hpp"
#include "json_output.hpp"
#include "option_values.hpp"
#include "progress_bar.hpp"

namespace octavo::tools {
namespace {

struct ExportArguments : CommonOptions {
  std::string file;
  std::string folder;
  std::string format = "png";
};

void export_file(const ExportArguments& arguments, const Dataset& dataset) {
  ProgressBar bar(arguments.quiet);
  const CleanUpOnInterruption guard;
  ExportOptions options;
  options.format = arguments.format == "png" ? ExportFormat::png : ExportFormat::npy;
  options.on_progress = bar.function();
  export_dataset(dataset, arguments.folder, options);
}

/// Whether the bytes represent other source values.
bool is_quantized(const Dataset& dataset) {
  for (const std::string& name : dataset.split_names()) {
    for (const ChannelQuantization& channel : dataset.split(name).statistics().quantization) {
      if (channel != ChannelQuantization{}) return true;
    }
  }
  return false;
}

/// "class names", "class names and the columns age, sex" or nothing.
std::string not_in_arrays(const Dataset& dataset) {
  std::string text = dataset.class_names().empty() ? "" : "class names";
  std::vector<std::string> columns;
  for (const std::string& split : dataset.split_names()) {
    for (const std::string& name : dataset.split(split).columns()) {
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  if (columns.empty()) return text;
  text += (text.empty() ? "" : " and ") + std::string(columns.size() == 1 ? "the column" : "the columns");
  for (std::size_t i = 0; i < columns.size(); ++i) text += (i == 0 ? " " : ", ") + printable(columns[i]);
  return text;
}

int run(const ExportArguments& arguments) {
  const Dataset dataset = Dataset::open(arguments.file);
  const bool has_other_numbers = is_quantized(dataset);  // computed first: nothing may fail after the export
  export_file(arguments, dataset);
  std::int64_t sample_count = 0;
  Json splits = Json::object();
  for (const std::string& name : dataset.split_names()) {
    splits[name] = dataset.split(name).sample_count();
    sample_count += dataset.split(name).sample_count();
  }
  if (arguments.json) {
    print_json(
        {{"folder", arguments.folder}, {"as", arguments.format}, {"sample_count", sample_count}, {"splits", splits}});
    return kDone;
  }
  std::cout << arguments.folder << ": " << counted(sample_count, "sample") << " in "
            << counted(static_cast<std::int64_t>(splits.size()), "split") << ", as "
            << (arguments.format == "png" ? "PNG images" : "NumPy arrays") << '\n';
  if (has_other_numbers) {
    std::cout
        << "  note: the export has the stored bytes; source values are scale * byte + zero_point, and octavo info "
        << quote_word(arguments.file) << " shows scale and zero_point\n";
  }
  if (const std::string left_out = not_in_arrays(dataset); arguments.format == "npy" && !left_out.empty()) {
    std::cout << "  note: arrays do not store " << left_out << "; use --as png to keep them\n";
  }
  if (arguments.format == "png") {
    std::cout << "try next: octavo pack " << quote_word(arguments.folder) << " -o FILE.h5\n";
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
