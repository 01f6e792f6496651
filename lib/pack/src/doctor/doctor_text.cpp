// The doctor's report for people and for programs.
#include <algorithm>
#include <filesystem>

#include <octavo/byte_count.hpp>
#include <octavo/doctor.hpp>
#include <octavo/text.hpp>

#include "support/strict_json.hpp"

namespace octavo {
namespace {

/// "1 error, 2 warnings and 3 notes"
std::string counts_text(const DoctorReport& report) {
  std::vector<std::string> counts;
  for (const DoctorSeverity severity : {DoctorSeverity::error, DoctorSeverity::warning, DoctorSeverity::note}) {
    const std::int64_t count = report.count_of(severity);
    if (count > 0) counts.push_back(counted(count, to_string(severity)));
  }
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == counts.size() ? " and " : ", ") + counts[i];
  }
  return text;
}

/// "train #4 = test #17 (mirrored left-right)"
std::string example_text(const DoctorExample& example) {
  std::string text;
  for (const SamplePlace& place : example.samples) text += (text.empty() ? "" : " = ") + to_text(place);
  if (example.detail.empty()) return text;
  return text.empty() ? example.detail : text + " (" + example.detail + ")";
}

std::string finding_text(const DoctorFinding& finding, OptionSpelling spelling) {
  const DoctorCheckInfo& info = finding.info();
  std::string examples;
  for (const DoctorExample& example : finding.examples) {
    examples += (examples.empty() ? "" : "; ") + example_text(example);
  }
  const bool has_more = std::ssize(finding.examples) < finding.count && !examples.empty();
  std::string text = "  " + std::string(to_string(info.severity)) + ": " + finding.summary;
  if (!examples.empty()) text += ": " + examples + (has_more ? "; ..." : "");
  return text + "\n    remedy: " + spelling(info.remedy) + "\n";
}

Json json_of(const DoctorFinding& finding, OptionSpelling spelling) {
  const DoctorCheckInfo& info = finding.info();
  Json examples = Json::array();
  for (const DoctorExample& example : finding.examples) {
    Json samples = Json::array();
    for (const SamplePlace& place : example.samples) {
      samples.push_back({{"split", place.split}, {"row", place.row}});
      if (!place.name.empty()) samples.back()["name"] = as_utf8(place.name);
    }
    examples.push_back({{"samples", samples}});
    if (!example.detail.empty()) examples.back()["detail"] = example.detail;
  }
  return {{"check", info.id},       {"severity", to_string(info.severity)},
          {"count", finding.count}, {"summary", finding.summary},
          {"examples", examples},   {"remedy", spelling(info.remedy)}};
}

}  // namespace

std::string to_text(const SamplePlace& place) {
  return place.name.empty() ? place.split + " #" + std::to_string(place.row)
                            : place.split + " " + printable(place.name);
}

std::string to_text(const DoctorReport& report, OptionSpelling spelling) {
  const std::string file = printable(std::filesystem::path(report.file).filename().string());
  const std::string what =
      counted(report.sample_count, "sample") + " of " + counted(std::ssize(report.split_names), "split");
  std::string text;
  if (report.findings.empty()) {
    text = file + ": nothing found in " + what + "; checked for";
    for (const DoctorCheckInfo& info : kDoctorChecks) {
      std::string name(info.id);
      std::ranges::replace(name, '_', ' ');
      text += (info.check == kDoctorChecks.front().check ? " " : ", ") + name;
    }
    text += "\n";
  } else {
    text = file + ": " + counts_text(report) + " in " + what + "\n";
  }
  for (const DoctorFinding& finding : report.findings) text += finding_text(finding, spelling);
  for (const std::string& limit : report.limits) text += "  not checked: " + spelling(limit) + "\n";
  return text;
}

std::string to_json(const DoctorReport& report, OptionSpelling spelling) {
  Json findings = Json::array(), limits = Json::array();
  for (const DoctorFinding& finding : report.findings) findings.push_back(json_of(finding, spelling));
  for (const std::string& limit : report.limits) limits.push_back(spelling(limit));
  const Json document = {{"file", as_utf8(report.file)},
                         {"sample_count", report.sample_count},
                         {"splits", report.split_names},
                         {"errors", report.count_of(DoctorSeverity::error)},
                         {"warnings", report.count_of(DoctorSeverity::warning)},
                         {"notes", report.count_of(DoctorSeverity::note)},
                         {"findings", findings},
                         {"limits", limits}};
  // Other names in the file are untrusted; invalid UTF-8 becomes U+FFFD.
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace octavo
