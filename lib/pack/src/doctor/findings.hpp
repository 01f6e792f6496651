// Turns what was found into findings: how many, which, and in what words.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <octavo/content.hpp>
#include <octavo/doctor.hpp>
#include <octavo/duplicates.hpp>

#include "doctor/copies/near_copies.hpp"
#include "doctor/label_leak.hpp"
#include "doctor/sample_groups.hpp"
#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

/// Where findings go.
struct FindingList {
  const Dataset& dataset;
  const SampleSet& samples;
  std::size_t example_count = 0;  ///< at most, of each finding
  std::vector<DoctorFinding>& findings;

  /// A finding without examples.
  DoctorFinding& add(DoctorCheck check, std::int64_t count, std::string summary) const {
    return findings.emplace_back(DoctorFinding{check, count, std::move(summary), {}});
  }
  /// Adds samples of a split as examples, one each, as far as there is room.
  void add_rows(DoctorFinding& finding, std::size_t split, const std::vector<std::int64_t>& rows) const;
};

/// "1 sample is", "2 samples are".
std::string counted_verb(std::int64_t count, const std::string& noun, const char* one, const char* many);

void add_equal_findings(const DuplicateReport& equal, const FindingList& list);
void add_near_findings(const NearCopies& near, const FindingList& list);
void add_group_findings(const std::vector<SampleGrouping>& groupings, const FindingList& list);
/// `brightness` is that of each sample by number; see ContentSurvey.
void add_leak_findings(const LabelLeaks& leaks, const std::vector<float>& brightness, const FindingList& list);
/// Of `contents`, in the order of the splits.
void add_class_findings(const std::vector<SplitContent>& contents, const FindingList& list);
/// On the values of masks, and on classes of masks that splits lack. Reads all masks.
void add_mask_findings(const FindingList& list);
void add_label_findings(const FindingList& list);
void add_image_findings(const std::vector<SplitContent>& contents, const FindingList& list);
void add_split_findings(const std::vector<SplitContent>& contents, const FindingList& list);
void add_source_findings(const FindingList& list);

}  // namespace octavo::doctor
