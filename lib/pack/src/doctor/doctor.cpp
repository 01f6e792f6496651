// Runs all checks of a dataset file.
#include <octavo/doctor.hpp>

#include <algorithm>
#include <array>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

#include "doctor/content_survey.hpp"
#include "doctor/copies/descriptor.hpp"
#include "doctor/copies/descriptor_tree.hpp"
#include "doctor/copies/equal_samples.hpp"
#include "doctor/copies/near_copies.hpp"
#include "doctor/findings.hpp"
#include "doctor/label_leak.hpp"
#include "doctor/sample_groups.hpp"
#include "doctor/sample_pass.hpp"

namespace octavo {
namespace doctor {
namespace {

class Examination {
 public:
  Examination(const Dataset& dataset, const DoctorOptions& options)
      : dataset_(dataset), options_(options), samples_(dataset) {
    report_.file = dataset.path().string();
    report_.sample_count = samples_.sample_count();
    report_.split_names = dataset.split_names();
  }

  DoctorReport run() {
    // First, because an invalid option should not cost minutes.
    const auto groupings = group_samples(samples_, options_.group_by, options_.example_count);
    const FindingList list = {dataset_, samples_, options_.example_count, report_.findings};
    add_group_findings(groupings, list);
    add_ungrouped(groupings);
    if (groupings.empty() && samples_.splits().size() > 1) {
      report_.limits.emplace_back(
          "groups: no column of groups; name one, or a part of the samples' names, with `group_by`");
    }
    look_at_samples(list);
    add_label_findings(list);
    add_mask_findings(list);
    add_split_findings(report_.contents, list);
    add_source_findings(list);
    std::ranges::stable_sort(report_.findings, {}, &DoctorFinding::check);
    return std::move(report_);
  }

 private:
  void look_at_samples(const FindingList& list) {
    EqualSamples equal(samples_);
    ContentSurvey survey(samples_, options_.example_count);
    Descriptors descriptors(samples_);
    LabelLeaks leaks(samples_);
    const std::array<SampleVisitor*, 4> visitors = {&equal, &survey, &descriptors, &leaks};
    visit_samples(samples_, visitors, options_.thread_count, "looking at", options_.on_progress);
    report_.contents = survey.contents();
    add_equal_findings(equal.find(), list);
    add_leak_findings(leaks, survey.brightness(), list);
    add_class_findings(report_.contents, list);
    add_image_findings(report_.contents, list);
    const NearCopies near =
        find_near_copies(samples_, descriptors, equal.first_numbers(), options_.thread_count, options_.on_progress);
    add_near_findings(near, list);
    add_limits(near);
  }

  /// The finding on shared groups counts the other samples without a group.
  void add_ungrouped(const std::vector<SampleGrouping>& groupings) {
    for (const SampleGrouping& grouping : groupings) {
      if (grouping.ungrouped_count == 0 || grouping.shared_count > 0) continue;
      std::string name = printable(grouping.name);
      std::ranges::replace(name, '`', '\'');  // in limits, options are in backquotes
      report_.limits.push_back("groups by " + name + " of " + counted(grouping.ungrouped_count, "sample") +
                               (grouping.ungrouped_count == 1 ? ": it has" : ": they have") + " no group");
    }
  }

  void add_limits(const NearCopies& near) {
    for (const Split& split : samples_.splits()) {
      if (Describer::can_describe(split.shape())) continue;
      report_.limits.push_back("near-identical images of " + split.name() + ": the images are too small");
    }
    if (near.cut_count == 0) return;
    report_.limits.push_back("near-identical images of " + counted(near.cut_count, "sample") + " of " +
                             format_count(near.sample_count) +
                             " completely: there are very many similar ones, and each was "
                             "compared with about " +
                             format_count(DescriptorTree::kMostCompared));
  }

  const Dataset& dataset_;
  const DoctorOptions& options_;
  SampleSet samples_;
  DoctorReport report_;
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kDoctorChecks.size(); ++i) {
    if (static_cast<std::size_t>(kDoctorChecks[i].check) != i) return false;
    if (i > 0 && kDoctorChecks[i].severity < kDoctorChecks[i - 1].severity) return false;
  }
  return true;
}
static_assert(is_in_order(), "kDoctorChecks has a row for each check, in their order, most severe first");

}  // namespace
}  // namespace doctor

const char* to_string(DoctorSeverity severity) {
  switch (severity) {
    case DoctorSeverity::error:
      return "error";
    case DoctorSeverity::warning:
      return "warning";
    case DoctorSeverity::note:
      return "note";
  }
  return "";
}

std::int64_t DoctorReport::count_of(DoctorSeverity severity) const {
  return std::ranges::count(findings, severity, [](const DoctorFinding& finding) { return finding.info().severity; });
}

DoctorReport examine(const Dataset& dataset, const DoctorOptions& options) {
  return doctor::Examination(dataset, options).run();
}

}  // namespace octavo
