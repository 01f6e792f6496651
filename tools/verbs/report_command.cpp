// `octavo report`: measures what int8 residency costs and saves.
#include <filesystem>
#include <iostream>
#include <memory>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/output_file.hpp>
#include <octavo/remote.hpp>
#include <octavo/report.hpp>
#include <octavo/report_page.hpp>
#include <octavo/text.hpp>
#include <octavo/train.hpp>
#include <span>

#include "exit_code.hpp"
#include "interruption.hpp"
#include "options/device_option.hpp"
#include "progress_bar.hpp"
#include "text/human_units.hpp"
#include "text/json_output.hpp"
#include "verbs/command.hpp"

namespace octavo::tools {
namespace {

struct ReportArguments : CommonOptions {
  std::string file;
  std::string html;
  bool is_verbose = false;
  bool force = false;
  std::string device = "auto";
  std::int64_t batch_size = 512;
};

/// Prevents a typo from replacing a file of another kind, such as the dataset.
void check_page_name(const std::filesystem::path& path) {
  if (path.extension() == ".html" || path.extension() == ".htm") return;
  throw InvalidArgument("write \"" + path.string() +
                        "\": the page is an HTML file; use a name that ends in .html or .htm");
}

MemoryReport measure(const ReportArguments& arguments, const Dataset& dataset) {
  ProgressBar bar(arguments.quiet);
  ReportOptions options;
  options.device = device_of_option(arguments.device);
  options.batch_size = arguments.batch_size;
  options.on_progress = bar.function();
  options.model_bytes = default_model_bytes(dataset, options.split, *options.device, options.batch_size);
  return measure_report(dataset, options);
}

/// The program has no PyTorch.
constexpr const char* kMissingLoader =
    "Not compared with a PyTorch DataLoader: octavo.report(file).to_html() in Python does that, if PyTorch is "
    "installed.";

/// Returns the bytes of the page.
std::int64_t write_page(const ReportArguments& arguments, const Dataset& dataset, const MemoryReport& report) {
  ProgressBar bar(arguments.quiet);
  const std::string html =
      to_html(dataset, report, {.loaders = {}, .missing_loader = kMissingLoader, .on_progress = bar.function()});
  const CleanUpOnInterruption guard;
  write_output_file(arguments.html, std::as_bytes(std::span(html)), arguments.force);
  return std::ssize(html);
}

void print_report_json(const ReportArguments& arguments, const MemoryReport& report, std::int64_t page_bytes) {
  Json document = Json::parse(to_json(report));
  if (!arguments.html.empty()) document["page"] = {{"file", as_utf8(arguments.html)}, {"bytes", page_bytes}};
  print_json(document);
}

void print_report(const ReportArguments& arguments, const MemoryReport& report, std::int64_t page_bytes) {
  const std::string text = to_text(report, arguments.is_verbose);
  std::cout << text << (text.ends_with('\n') ? "" : "\n");
  if (!arguments.html.empty()) {
    std::cout << "\nwrote " << printable(arguments.html) << ": a page for the browser, " << format_bytes(page_bytes)
              << '\n';
  }
}

int run(const ReportArguments& arguments) {
  // Before minutes of measuring.
  if (!arguments.html.empty()) {
    check_page_name(arguments.html);
    check_output_file(arguments.html, arguments.force);
  }
  const Dataset dataset = remote::open_dataset(arguments.file);
  const MemoryReport report = measure(arguments, dataset);
  const std::int64_t page_bytes = arguments.html.empty() ? 0 : write_page(arguments, dataset, report);
  arguments.json ? print_report_json(arguments, report, page_bytes) : print_report(arguments, report, page_bytes);
  return kDone;
}

}  // namespace

Command add_report_command(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = add_verb(program, "report", "Measure how much device memory int8 samples save", *arguments);
  verb->add_option("FILE", arguments->file, "A dataset file")->required();
  CLI::Option* html = verb->add_option(
      "--html", arguments->html, "Also write a page for the browser to this .html file: contents, savings, problems");
  verb->add_flag("--force", arguments->force, "Replace the HTML file if it exists")->needs(html);
  verb->add_flag("-v,--verbose", arguments->is_verbose, "Print all figures, not just the summary and the sizes");
  verb->add_option("--device", arguments->device, kDeviceHelp);
  verb->add_option("--batch-size", arguments->batch_size, "Samples per measured batch (512)")->check(above_zero());
  return {verb, [arguments] { return run(*arguments); }};
}

}  // namespace octavo::tools
