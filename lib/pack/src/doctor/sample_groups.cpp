#include "doctor/sample_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "format/index/columns.hpp"
#include "support/path_pattern.hpp"

namespace octavo::doctor {
namespace {

/// Columns that usually name groups, without case, "-" and "_".
constexpr std::array<std::string_view, 36> kGroupColumns = {
    "patient", "patientid", "subject",  "subjectid",  "participant", "participantid", "person",    "personid",
    "group",   "groupid",   "video",    "videoid",    "clip",        "clipid",        "recording", "recordingid",
    "session", "sessionid", "scene",    "sceneid",    "sequence",    "sequenceid",    "study",     "studyid",
    "series",  "seriesid",  "specimen", "specimenid", "slide",       "slideid",       "donor",     "donorid",
    "animal",  "animalid",  "identity", "identityid"};

std::string plain(const std::string& column) {
  std::string text;
  for (const char c : column) {
    if (c != '_' && c != '-' && c != ' ') text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

bool is_group_column(const std::string& column) {
  return std::ranges::find(kGroupColumns, plain(column)) != kGroupColumns.end();
}

/// Collects the groups of one grouping.
class GroupCollector {
 public:
  void add(const std::string& group, std::size_t split, std::int64_t number) { members_[group].emplace(split, number); }
  void add_ungrouped(std::int64_t count) { ungrouped_count_ += count; }

  SampleGrouping finish(const std::string& name, std::size_t most_shown) const {
    SampleGrouping grouping;
    grouping.name = name;
    grouping.group_count = std::ssize(members_);
    grouping.ungrouped_count = ungrouped_count_;
    for (const auto& [group, first_of_split] : members_) {
      if (first_of_split.size() < 2) continue;
      ++grouping.shared_count;
      if (grouping.first_shared.size() >= most_shown) continue;
      SharedGroup& shared = grouping.first_shared.emplace_back();
      shared.name = group;
      for (const auto& [split, number] : first_of_split) shared.first_numbers.push_back(number);
    }
    return grouping;
  }

 private:
  std::map<std::string, std::map<std::size_t, std::int64_t>> members_;  ///< the first sample in each split
  std::int64_t ungrouped_count_ = 0;
};

/// The text of a value; nothing for values that name no group.
std::optional<std::string> group_of(const Json& value) {
  return value.is_structured() ? std::nullopt : dataset_file::value_text(value);
}

bool has_column(const Split& split, const std::string& column) {
  return std::ranges::find(split.columns(), column) != split.columns().end();
}

/// Groups by the columns of these names.
std::vector<SampleGrouping> group_by_columns(const SampleSet& samples, const std::vector<std::string>& columns,
                                             std::size_t most_shown) {
  std::vector<GroupCollector> collectors(columns.size());
  for (std::size_t number = 0; number < samples.splits().size(); ++number) {
    const Split& split = samples.splits()[number];
    const bool has_any =
        std::ranges::any_of(columns, [&](const std::string& column) { return has_column(split, column); });
    const Json metadata =
        has_any ? dataset_file::parse_columns(split.metadata(), split.sample_count()) : Json::object();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!metadata.contains(columns[i])) {
        collectors[i].add_ungrouped(split.sample_count());
        continue;
      }
      std::int64_t row = 0;
      for (const Json& value : metadata[columns[i]]) {
        const auto group = group_of(value);
        if (group) collectors[i].add(*group, number, samples.first_number(number) + row);
        if (!group) collectors[i].add_ungrouped(1);
        ++row;
      }
    }
  }
  std::vector<SampleGrouping> groupings;
  for (std::size_t i = 0; i < columns.size(); ++i) groupings.push_back(collectors[i].finish(columns[i], most_shown));
  return groupings;
}

SampleGrouping group_by_path(const SampleSet& samples, const std::string& group_by, std::size_t most_shown) {
  const PathPattern pattern(group_by);
  GroupCollector collector;
  for (std::size_t number = 0; number < samples.splits().size(); ++number) {
    const Split& split = samples.splits()[number];
    for (std::int64_t row = 0; row < split.sample_count(); ++row) {
      const auto name = split.sample_name(row);
      const bool is_searched = name && name->size() <= PathPattern::kMostPathBytes;
      const auto group = is_searched ? pattern.group_of(*name) : std::nullopt;
      if (group) collector.add(*group, number, samples.first_number(number) + row);
      if (!group) collector.add_ungrouped(1);
    }
  }
  SampleGrouping grouping = collector.finish(group_by, most_shown);
  if (grouping.group_count > 0) return grouping;
  const bool has_names = samples.splits().front().sample_name(0).has_value();
  throw DataError("group the samples: `group_by=" + group_by + "` matches no sample name; " +
                  (has_names ? "the first name is \"" + printable(*samples.splits().front().sample_name(0)) + "\""
                             : std::string("the file stores no names: pack it with names")));
}

std::vector<std::string> all_columns(const SampleSet& samples) {
  std::vector<std::string> columns;
  for (const Split& split : samples.splits()) {
    for (const std::string& column : split.columns()) {
      if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    }
  }
  return columns;
}

}  // namespace

std::vector<SampleGrouping> group_samples(const SampleSet& samples, const std::string& group_by,
                                          std::size_t most_shown) {
  if (is_path_pattern(group_by)) return {group_by_path(samples, group_by, most_shown)};
  std::vector<std::string> columns = all_columns(samples);
  if (group_by.empty()) {
    std::erase_if(columns, [](const std::string& column) { return !is_group_column(column); });
    auto groupings = group_by_columns(samples, columns, most_shown);
    // One value for all samples, or lists, is not a grouping.
    std::erase_if(groupings, [](const SampleGrouping& grouping) { return grouping.group_count < 2; });
    return groupings;
  }
  if (std::ranges::find(columns, group_by) == columns.end()) {
    throw DataError("group the samples: there is no column \"" + printable(group_by) + "\"; " +
                    (columns.empty() ? "the file has no columns: use `group_by=path:REGEX`, or pack with `columns`"
                                     : "the columns are " + either_of(columns)));
  }
  auto groupings = group_by_columns(samples, {group_by}, most_shown);
  if (groupings.front().group_count > 0) return groupings;
  throw DataError("group the samples: the column \"" + printable(group_by) +
                  "\" has no values that name groups; use a column of texts or numbers");
}

}  // namespace octavo::doctor
