// `octavo report`: measures what int8 residency costs and saves.
#include <iostream>
#include <memory>
#include <octavo/dataset.hpp>
#include <octavo/report.hpp>
#include <octavo/train.hpp>

#include "command.hpp"
#include "device_option.hpp"
#include "exit_code.hpp"
#include "json_output.hpp"
#include "progress_bar.hpp"

namespace octavo::tools {
namespace {

struct ReportArguments : CommonOptions {
  std::string file;
  std::string device = "auto";
  std::int64_t batch_size = 512;
};

/// The digest at packing is of the images as packed: where they had been resized, it does not vouch for the source.
void name_what_was_digested(const Dataset& dataset, QuantizationCertificate& certificate) {
  const std::string digest = "the digest stored at packing";
  const Json provenance = Json::parse(dataset.provenance(), nullptr, false);
  if (certificate.compared_with != digest || !provenance.is_object()) return;
  if (!provenance.contains("notes") || !provenance["notes"].contains("size")) return;
  certificate.compared_with = "the converted images that were packed (" + digest + ")";
}

MemoryReport measure(const ReportArguments& arguments) {
  ProgressBar bar(arguments.quiet);
  ReportOptions options;
  options.device = device_of_option(arguments.device);
  options.batch_size = arguments.batch_size;
  options.on_progress = bar.function();
  const Dataset dataset = Dataset::open(arguments.file);
  options.model_bytes = default_model_bytes(dataset, options.split, *options.device, options.batch_size);
  MemoryReport report = measure_report(dataset, options);
  name_what_was_digested(dataset, report.certificate);
  return report;
}

int run(const ReportArguments& arguments) {
  const MemoryReport report = measure(arguments);
  const std::string text = arguments.json ? to_json(report) : to_text(report);
  std::cout << text << (text.ends_with('\n') ? "" : "\n");
  return kDone;
}

}  // namespace

Command add_report_command(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = add_verb(program, "report", "Measure how much device memory int8 samples save", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  verb->add_option("--device", arguments->device, kDeviceHelp);
  verb->add_option("--batch-size", arguments->batch_size, "Samples per measured batch (512)")->check(above_zero());
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
