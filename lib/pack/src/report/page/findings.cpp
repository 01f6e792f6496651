#include "report/page/findings.hpp"

#include <octavo/byte_count.hpp>

#include "report/page/html.hpp"
#include "report/page/pictures.hpp"

namespace octavo::report::page {
namespace {

/// Pictures of the samples, captioned with their names.
std::string figure_of(const Dataset& dataset, const DoctorExample& example) {
  std::string caption;
  for (const SamplePlace& place : example.samples) caption += (caption.empty() ? "" : " = ") + escaped(to_text(place));
  if (!example.detail.empty()) {
    caption += caption.empty() ? escaped(example.detail) : " (" + escaped(example.detail) + ")";
  }
  std::string pictures;
  for (const SamplePlace& place : example.samples) {
    pictures += picture_of_samples(dataset.split(place.split), {&place.row, 1}, escaped(to_text(place)));
  }
  return "<figure>" + pictures + "<figcaption>" + caption + "</figcaption></figure>";
}

std::string item_of(const Dataset& dataset, const DoctorFinding& finding, OptionSpelling spelling) {
  const DoctorCheckInfo& info = finding.info();
  const std::string severity = to_string(info.severity);
  std::string html = "<li class=\"is-" + severity + "\"><strong>" + severity + ":</strong> " +
                     escaped(finding.summary) + ".<div class=\"lead\">" + escaped(spelling(info.remedy)) + ".</div>";
  std::string figures;
  for (const DoctorExample& example : finding.examples) figures += figure_of(dataset, example);
  return html + (figures.empty() ? "" : "<div>" + figures + "</div>") + "</li>\n";
}

}  // namespace

std::string findings_list(const Dataset& dataset, const DoctorReport& report, OptionSpelling spelling) {
  std::string list = "<ul class=\"findings\">\n";
  for (const DoctorFinding& finding : report.findings) list += item_of(dataset, finding, spelling);
  if (report.findings.empty()) list += "<li class=\"is-good\">Nothing unusual.</li>\n";
  for (const std::string& limit : report.limits) list += "<li>Not checked: " + escaped(spelling(limit)) + ".</li>\n";
  return list + "</ul>\n";
}

std::string sample_title(const Split& split, std::int64_t row) {
  const auto name = split.sample_name(row);
  return name && !name->empty() ? escaped(*name) : escaped(split.name()) + " #" + std::to_string(row);
}

}  // namespace octavo::report::page
