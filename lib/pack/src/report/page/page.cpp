// Assembles the page of a report.
#include <algorithm>
#include <numeric>

#include <octavo/byte_count.hpp>
#include <octavo/doctor.hpp>
#include <octavo/errors.hpp>
#include <octavo/report_page.hpp>

#include "report/origin.hpp"
#include "report/page/content_section.hpp"
#include "report/page/findings.hpp"
#include "report/page/html.hpp"
#include "report/page/measurement_sections.hpp"
#include "report/page/page_data.hpp"
#include "report/page/style.hpp"
#include "report/summary.hpp"
#include "support/file.hpp"
#include "support/text/text_units.hpp"

namespace octavo::report::page {
namespace {

void check_is_of_dataset(const MemoryReport& report, const Dataset& dataset) {
  const auto names = dataset.split_names();
  if (std::ranges::find(names, report.split) != names.end()) return;
  throw InvalidArgument("write a report of " + quoted(dataset.path()) + ": it has no split \"" + report.split +
                        "\"; pass a report of this dataset");
}

class Page {
 public:
  Page(const Dataset& dataset, const MemoryReport& report, const ReportPageOptions& options)
      : data_{dataset, report, options, dataset.split_names()} {
    check_is_of_dataset(report, dataset);
    for (const std::string& name : data_.split_names) data_.splits.push_back(dataset.split(name));
    DoctorOptions doctor;
    doctor.example_count = kShownExamples;
    doctor.on_progress = options.on_progress;
    examined_ = examine(dataset, doctor);
    data_.contents = examined_.contents;
    for (const Split& split : data_.splits) data_.mask_counts.push_back(count_mask_pixels(split));
  }

  std::string html() const {
    const std::string name = escaped(data_.dataset.path().filename().string());
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           name + " - Octavo report</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<main>\n" +
           "<header><h1>" + name + "</h1>\n<p class=\"lead\">" + escaped(summary(data_.report)) + "</p>\n" + tiles() +
           "</header>\n" + findings() + content_section(data_) + savings_section(data_) + cost_section(data_) +
           speed_section(data_) + devices_section(data_) + footer() + "</main>\n</body>\n</html>\n";
  }

 private:
  std::int64_t sample_count() const {
    return std::accumulate(data_.splits.begin(), data_.splits.end(), std::int64_t{0},
                           [](std::int64_t sum, const Split& split) { return sum + split.sample_count(); });
  }

  std::int64_t problem_count() const {
    return examined_.count_of(DoctorSeverity::error) + examined_.count_of(DoctorSeverity::warning);
  }

  std::string what_is_lossless() const {
    return origin_of(data_.dataset, data_.report.split).is_converted ? "of the resized images" : "bit for bit";
  }

  std::string tiles() const {
    // All arguments are HTML.
    const auto tile = [](const std::string& name, const std::string& value, const std::string& detail) {
      return "<div><dt>" + name + "</dt><dd>" + value + "<small>" + detail + "</small></dd></div>\n";
    };
    const QuantizationCertificate& certificate = data_.report.certificate;
    const std::int64_t classes = class_count(data_), bytes = data_.packed_bytes();
    const std::int64_t mask_bytes = data_.all_mask_bytes();
    std::string html = "<dl class=\"tiles\">\n" +
                       tile("Samples", format_count(sample_count()), counted(std::ssize(data_.splits), "split")) +
                       tile("Sample", escaped(data_.report.shape), "channels x height x width");
    if (classes > 0) {
      html +=
          tile("Classes", format_count(classes), data_.dataset.class_names().empty() ? "without names" : "with names");
    }
    html += tile("In memory", format_bytes(data_.memory_bytes()), "float32: " + format_bytes(4 * bytes + mask_bytes));
    html += certificate.lossless ? tile("Values", "<span class=\"good\">lossless</span>", what_is_lossless())
                                 : tile("Values", "lossy", escaped(summary_of_loss(certificate)));
    html += problem_count() == 0
                ? tile("Problems", "<span class=\"good\">none found</span>", "see Findings")
                : tile("Problems", "<span class=\"warn\">" + format_count(problem_count()) + "</span>", "see Findings");
    return html + "</dl>\n";
  }

  std::string findings() const {
    return section("findings", "Findings",
                   "What would spoil training or a benchmark, as octavo doctor finds it; all samples were checked.",
                   findings_list(data_.dataset, examined_, data_.options.spelling));
  }

  std::string footer() const {
    const Dataset& dataset = data_.dataset;
    return "<footer>File " + escaped(dataset.path().string()) + ", " + format_bytes(data_.report.file_bytes) +
           ", format " + std::to_string(dataset.format_version()) + ", written by " + escaped(dataset.writer()) +
           " on " + escaped(dataset.created()) + ", UUID " + escaped(dataset.uuid()) + ".</footer>\n";
  }

  PageData data_;
  DoctorReport examined_;
};

}  // namespace
}  // namespace octavo::report::page

namespace octavo {

std::string to_html(const Dataset& dataset, const MemoryReport& report, const ReportPageOptions& options) {
  return report::page::Page(dataset, report, options).html();
}

}  // namespace octavo
