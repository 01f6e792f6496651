// Which samples belong together: those of one patient, video or session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/sample_pass.hpp"

namespace octavo::doctor {

/// A group with samples in several splits.
struct SharedGroup {
  std::string name;                         ///< "17"
  std::vector<std::int64_t> first_numbers;  ///< of its first sample in each of these splits
};

/// A way to group the samples.
struct SampleGrouping {
  std::string name;  ///< that of the column, or "path:..."
  std::int64_t group_count = 0;
  std::int64_t ungrouped_count = 0;  ///< samples without a group
  std::int64_t shared_count = 0;     ///< groups with samples in several splits
  std::vector<SharedGroup> first_shared;
};

/// Groups the samples by `group_by` of DoctorOptions; empty: by each column with a usual name of groups that has two or
/// more values. Keeps at most `most_shown` shared groups of each. Throws InvalidArgument if `group_by` is not the name
/// of a column or a valid PathPattern, or if no sample has a group; FormatError if the metadata or the names are
/// damaged.
std::vector<SampleGrouping> group_samples(const SampleSet& samples, const std::string& group_by,
                                          std::size_t most_shown);

}  // namespace octavo::doctor
