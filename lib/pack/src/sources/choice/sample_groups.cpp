#include "sources/choice/sample_groups.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/choice/sample_column.hpp"
#include "support/path_pattern.hpp"
#include "support/text/text_units.hpp"

namespace octavo::sources {
namespace {

std::string grouping(const std::string& group_by) { return "group the samples by \"" + printable(group_by) + "\""; }

/// Numbers groups in the order in which they occur.
class GroupNumbers {
 public:
  std::int32_t number_of(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
};

/// The groups of the rows of one split; group_of(row) returns nothing for a sample without one.
template <typename GroupOf>
std::vector<std::int32_t> groups_of_rows(const Source& source, const ChosenSplit& part, GroupNumbers& numbers,
                                         const std::string& doing, const std::string& problem,
                                         const GroupOf& group_of) {
  std::vector<std::int32_t> groups;
  std::int64_t missing = 0, first_missing = 0;
  for (const std::int64_t row : part.rows) {
    if (const auto name = group_of(row)) {
      groups.push_back(numbers.number_of(*name));
    } else if (missing++ == 0) {
      first_missing = row;
    }
  }
  if (missing == 0) return groups;
  throw DataError(doing + ": " + counted(missing, "sample") + " of split \"" + part.name + "\" " +
                  (missing == 1 ? "has" : "have") + " " + problem + ", such as \"" +
                  printable(source.sample_name(part.source_split, first_missing)) + "\"; each sample needs a group");
}

SampleGroups groups_by_column(const Source& source, const std::vector<ChosenSplit>& chosen,
                              const std::string& group_by) {
  SampleGroups groups;
  GroupNumbers numbers;
  bool is_anywhere = false;
  for (const ChosenSplit& part : chosen) {
    groups.of_split.emplace_back();
    if (!has_column(source, part.source_split, group_by)) continue;
    is_anywhere = true;
    const SampleColumn column(source, part.source_split, group_by, grouping(group_by));
    groups.of_split.back() = groups_of_rows(source, part, numbers, grouping(group_by), "no value in this column",
                                            [&](std::int64_t row) { return column.text(row); });
  }
  // Reports the columns that there are.
  if (!is_anywhere) SampleColumn(source, chosen.at(0).source_split, group_by, grouping(group_by));
  groups.names = numbers.take_names();
  return groups;
}

SampleGroups groups_by_path(const Source& source, const std::vector<ChosenSplit>& chosen, const std::string& group_by) {
  const PathPattern pattern(group_by);
  SampleGroups groups;
  GroupNumbers numbers;
  for (const ChosenSplit& part : chosen) {
    groups.of_split.push_back(groups_of_rows(source, part, numbers, grouping(group_by), "no path that matches",
                                             [&](std::int64_t row) -> std::optional<std::string> {
                                               const auto path = source.sample_path(part.source_split, row);
                                               return path ? pattern.group_of(*path) : std::nullopt;
                                             }));
  }
  groups.names = numbers.take_names();
  return groups;
}

}  // namespace

std::string_view group_column(std::string_view group_by) {
  return is_path_pattern(group_by) ? std::string_view() : group_by;
}

SampleGroups find_groups(const Source& source, const std::vector<ChosenSplit>& chosen, const std::string& group_by) {
  return is_path_pattern(group_by) ? groups_by_path(source, chosen, group_by)
                                   : groups_by_column(source, chosen, group_by);
}

void check_groups(const SampleGroups& groups, const std::vector<ChosenSplit>& chosen, const std::string& group_by) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> split_of(groups.names.size(), kNone);
  std::vector<bool> is_shared(groups.names.size());
  std::string example;
  for (std::size_t split = 0; split < chosen.size(); ++split) {
    for (const std::int32_t number : groups.of_split[split]) {
      const auto group = static_cast<std::size_t>(number);
      if (split_of[group] == kNone) split_of[group] = split;
      if (split_of[group] == split) continue;
      if (example.empty()) {
        example = "group \"" + printable(groups.names[group]) + "\" is in " + chosen[split_of[group]].name + " and " +
                  chosen[split].name;
      }
      is_shared[group] = true;
    }
  }
  const auto shared_count = std::ranges::count(is_shared, true);
  if (shared_count == 0) return;
  throw DataError(grouping(group_by) + ": " + example +
                  (shared_count > 1 ? ", and " + counted(shared_count - 1, "other group") +
                                          (shared_count > 2 ? " are" : " is") + " in two splits"
                                    : std::string()) +
                  "; move each group to one split, or pack all samples as the split train, such as train=LIST.csv "
                  "or train=FILE.h5::train train=FILE.h5::val, and divide them by group with `holdout`");
}

}  // namespace octavo::sources
