// The group of each sample, such as its patient or its recording, which must not be in two splits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sources/choice/row_choice.hpp"

namespace octavo::sources {

struct SampleGroups {
  std::vector<std::string> names;
  /// For each chosen split, the number of the group of each row; empty if the split lacks the column.
  std::vector<std::vector<std::int32_t>> of_split;
};

/// The column that `group_by` names; empty if it is a pattern for paths, or empty.
std::string_view group_column(std::string_view group_by);

/// Reads the groups of all chosen rows. Throws InvalidArgument if no split has the column, or if a sample has no value
/// in it or does not match the pattern.
SampleGroups find_groups(const Source& source, const std::vector<ChosenSplit>& chosen, const std::string& group_by);

/// Throws InvalidArgument if a group is in two splits, naming one.
void check_groups(const SampleGroups& groups, const std::vector<ChosenSplit>& chosen, const std::string& group_by);

}  // namespace octavo::sources
