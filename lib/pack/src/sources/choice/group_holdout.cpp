#include "sources/choice/group_holdout.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/choice/balanced_parts.hpp"
#include "sources/choice/class_holdout.hpp"

namespace octavo::sources {
namespace {

/// Sets of groups; each is known by its member with the smallest name.
class GroupSets {
 public:
  explicit GroupSets(const std::vector<std::string>& names) : names_(names), parent_(names.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t first_of(std::int32_t group) {
    while (parent_of(group) != group) group = parent_of(group) = parent_of(parent_of(group));
    return group;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = first_of(a), b = first_of(b);
    const bool is_a_first = names_[static_cast<std::size_t>(a)] < names_[static_cast<std::size_t>(b)];
    if (a != b) parent_of(is_a_first ? b : a) = is_a_first ? a : b;
  }

 private:
  std::int32_t& parent_of(std::int32_t group) { return parent_[static_cast<std::size_t>(group)]; }

  const std::vector<std::string>& names_;
  std::vector<std::int32_t> parent_;
};

struct ImageLine {
  std::uint64_t hash = 0;  ///< of the path
  std::int32_t group = 0;
  std::int64_t row = 0;
};

std::vector<ImageLine> lines_by_image(const Source& source, const ChosenSplit& part, const RowGroups& groups) {
  std::vector<ImageLine> lines;
  for (std::size_t at = 0; at < part.rows.size(); ++at) {
    const auto path = source.sample_path(part.source_split, part.rows[at]);
    if (path) lines.push_back({holdout_hash(*path, 0), groups.of_rows[at], part.rows[at]});
  }
  std::ranges::sort(lines, {}, [](const ImageLine& line) { return std::pair(line.hash, line.row); });
  return lines;
}

/// How many samples each group has, and how many of each class.
class GroupTable {
 public:
  GroupTable(const Source& source, const ChosenSplit& part, const RowGroups& groups, std::uint64_t seed) {
    number_groups(groups);
    count_classes(source, part);
    std::size_t class_at = 0;
    for (std::size_t number = 0; number < counts_.size(); ++number) {
      const std::size_t first = class_at;
      while (class_at < classes_.size() && class_groups_[class_at] == static_cast<std::int32_t>(number)) ++class_at;
      counts_[number].hash = holdout_hash(counts_[number].name, seed);
      counts_[number].classes = std::span(classes_).subspan(first, class_at - first);
    }
  }

  const std::vector<GroupCounts>& counts() const { return counts_; }
  std::size_t group_of(std::size_t row_at) const { return static_cast<std::size_t>(of_rows_[row_at]); }

 private:
  /// Only groups with rows get a number, and a place in `counts_`.
  void number_groups(const RowGroups& groups) {
    std::vector<std::int32_t> numbers(groups.names.size(), -1);
    for (const std::int32_t group : groups.of_rows) {
      std::int32_t& number = numbers[static_cast<std::size_t>(group)];
      if (number < 0) {
        number = static_cast<std::int32_t>(counts_.size());
        counts_.emplace_back().name = groups.names[static_cast<std::size_t>(group)];
      }
      ++counts_[static_cast<std::size_t>(number)].sample_count;
      of_rows_.push_back(number);
    }
  }

  void count_classes(const Source& source, const ChosenSplit& part) {
    std::vector<std::pair<std::int32_t, std::int32_t>> labeled;  // groups with a class of a row
    std::vector<std::int32_t> known;
    for (std::size_t at = 0; at < part.rows.size(); ++at) {
      for (const std::int32_t label : source.class_indices(part.source_split, part.rows[at])) {
        labeled.emplace_back(of_rows_[at], label);
      }
    }
    std::ranges::sort(labeled);
    for (const auto& [group, label] : labeled) known.push_back(label);
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (std::size_t at = 0; at < labeled.size(); ++at) {
      const auto& [group, label] = labeled[at];
      if (at == 0 || labeled[at] != labeled[at - 1]) {
        class_groups_.push_back(group);
        classes_.push_back({static_cast<std::int32_t>(std::ranges::lower_bound(known, label) - known.begin()), 0});
      }
      ++classes_.back().sample_count;
    }
  }

  std::vector<std::int32_t> of_rows_;
  std::vector<GroupCounts> counts_;
  std::vector<ClassCount> classes_;         ///< of all groups, in their order
  std::vector<std::int32_t> class_groups_;  ///< the group of each of `classes_`
};

void check_group_count(const GroupTable& table, const SourceOptions& options) {
  const auto group_count = std::ssize(table.counts());
  if (options.holdout.kind == Holdout::Kind::fold && group_count < options.holdout.fold_count) {
    throw DataError("hold out fold " + format_holdout(options.holdout) + ": train has only " +
                    counted(group_count, options.group_by.empty() ? "sample" : "group") + "; choose fewer folds");
  }
  if (group_count < 2 && options.group_by.empty()) {
    throw DataError("hold out " + format_holdout(options.holdout) + " of train: it has only 1 sample; add samples");
  }
  if (group_count < 2) {
    throw DataError("hold out groups of \"" + printable(options.group_by) +
                    "\": all samples of train are in one group, \"" + printable(table.counts().at(0).name) +
                    "\"; choose another `group_by`");
  }
}

}  // namespace

RowGroups joined_by_images(const Source& source, const ChosenSplit& part, RowGroups groups,
                           std::vector<std::string>& remarks) {
  const std::vector<ImageLine> lines = lines_by_image(source, part, groups);
  GroupSets sets(groups.names);
  std::int64_t image_count = 0;
  std::size_t counted_image = lines.size();  // its first line
  std::string example;
  for (std::size_t first = 0, at = 1; at < lines.size(); ++at) {
    if (lines[at].hash != lines[first].hash) first = at;
    if (lines[at].group == lines[first].group) continue;
    if (example.empty()) {
      example = "\"" + printable(source.sample_name(part.source_split, lines[at].row)) + "\" in \"" +
                printable(groups.names[static_cast<std::size_t>(lines[first].group)]) + "\" and \"" +
                printable(groups.names[static_cast<std::size_t>(lines[at].group)]) + "\"";
    }
    if (std::exchange(counted_image, first) != first) ++image_count;
    sets.join(lines[first].group, lines[at].group);
  }
  if (image_count == 0) return groups;
  for (std::int32_t& group : groups.of_rows) group = sets.first_of(group);
  remarks.push_back(counted(image_count, "image") + (image_count == 1 ? " is" : " are") +
                    " in several groups, such as " + example + "; groups with a common image stay together");
  return groups;
}

RowGroups groups_of_keys(const Source& source, const ChosenSplit& part) {
  RowGroups groups;
  std::unordered_map<std::string, std::int32_t> numbers;
  for (const std::int64_t row : part.rows) {
    const std::string key = holdout_key(source, part.source_split, row);
    const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::int32_t>(groups.names.size()));
    if (is_new) groups.names.push_back(key);
    groups.of_rows.push_back(at->second);
  }
  return groups;
}

std::vector<bool> hold_out_groups(const Source& source, const ChosenSplit& part, const RowGroups& groups,
                                  const SourceOptions& options) {
  const GroupTable table(source, part, groups, options.seed);
  check_group_count(table, options);
  const Holdout& holdout = options.holdout;
  const bool is_fold = holdout.kind == Holdout::Kind::fold;
  const std::vector<double> shares = is_fold ? std::vector<double>(static_cast<std::size_t>(holdout.fold_count),
                                                                   1.0 / static_cast<double>(holdout.fold_count))
                                             : std::vector<double>{1.0 - holdout.fraction, holdout.fraction};
  const std::int64_t held_out = is_fold ? holdout.fold : 1;
  const std::vector<std::int32_t> part_of = balanced_parts(table.counts(), shares);
  std::vector<bool> is_held_out(part.rows.size());
  for (std::size_t at = 0; at < part.rows.size(); ++at) is_held_out[at] = part_of[table.group_of(at)] == held_out;
  return is_held_out;
}

}  // namespace octavo::sources
