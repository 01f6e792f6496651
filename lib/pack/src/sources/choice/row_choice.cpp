#include "sources/choice/row_choice.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "sources/choice/class_holdout.hpp"
#include "sources/choice/glob.hpp"
#include "sources/choice/group_holdout.hpp"
#include "sources/choice/holdout_remark.hpp"
#include "sources/choice/sample_column.hpp"
#include "sources/choice/sample_groups.hpp"
#include "sources/choice/value_holdout.hpp"

namespace octavo::sources {
namespace {

constexpr const char* kTrain = "train";
constexpr const char* kHeldOut = "val";

/// Whether one of a sample's classes matches. A sample without a class has the empty name.
bool is_of_class(const Source& source, std::size_t split, std::int64_t row, const std::string& pattern) {
  const std::vector<std::int32_t> labels = source.class_indices(split, row);
  if (labels.empty()) return matches_glob(pattern, "");
  return std::ranges::any_of(labels,
                             [&](std::int32_t label) { return matches_glob(pattern, class_text(source, label)); });
}

std::vector<ChosenSplit> select(const Source& source, const SourceOptions& options) {
  std::vector<ChosenSplit> chosen;
  for (std::size_t split = 0; split < source.splits().size(); ++split) {
    ChosenSplit part = {source.splits()[split].name, split, {}};
    for (std::int64_t row = 0; row < source.splits()[split].sample_count; ++row) {
      if (is_selected(source, split, row, options.select)) part.rows.push_back(row);
    }
    chosen.push_back(std::move(part));
  }
  return chosen;
}

/// Which rows of `train` are held out. `groups` are those of options.group_by, of each row; empty without it.
std::vector<bool> held_out_rows(const Source& source, const SourceOptions& options, const ChosenSplit& train,
                                RowGroups groups, std::vector<std::string>& remarks) {
  const Holdout& holdout = options.holdout;
  const bool has_groups = !options.group_by.empty();
  const bool has_multi_labels = source.splits()[train.source_split].labels.kind == LabelKind::multi_label;
  std::vector<bool> is_held_out;
  if (holdout.kind == Holdout::Kind::column) {
    is_held_out = hold_out_value(source, train, holdout);
  } else if (has_groups) {
    groups = joined_by_images(source, train, std::move(groups), remarks);
    is_held_out = hold_out_groups(source, train, groups, options);
  } else if (has_multi_labels) {
    is_held_out = hold_out_groups(source, train, groups_of_keys(source, train), options);
  } else {
    is_held_out = hold_out_of_classes(source, train, options);
  }
  const bool is_exact = holdout.kind == Holdout::Kind::fraction && !has_groups && !has_multi_labels;
  if (!is_exact) remarks.push_back(remark_on_holdout(source, train, is_held_out, groups.of_rows, holdout));
  return is_held_out;
}

/// Moves the marked elements of `from` to the result, in order.
template <typename Value>
std::vector<Value> take_marked(std::vector<Value>& from, const std::vector<bool>& is_marked) {
  std::vector<Value> taken, kept;
  for (std::size_t at = 0; at < from.size(); ++at) (is_marked[at] ? taken : kept).push_back(from[at]);
  from = std::move(kept);
  return taken;
}

[[noreturn]] void refuse_empty(const std::string& split, const SourceOptions& options) {
  throw DataError("hold out " + printable(format_holdout(options.holdout)) + " of train: the split \"" + split +
                  "\" would be empty; choose another holdout");
}

/// The remedy is tested: all samples in one file, then the split of that file.
[[noreturn]] void refuse_second_val(const RowChoice& chosen) {
  std::string others;
  for (const ChosenSplit& split : chosen.splits) {
    if (split.name != kTrain && split.name != kHeldOut) others += " FILE::" + printable(split.name);
  }
  throw DataError(
      "hold out samples: there is a split \"val\" already; pack without `holdout`, then divide train and val again: "
      "octavo repack train=FILE::train train=FILE::val" +
      others + " -o NEW.h5, with `holdout`");
}

/// Divides `train`, and its groups.
void hold_out(const Source& source, const SourceOptions& options, RowChoice& chosen, SampleGroups& groups) {
  const auto find = [&](const char* name) { return std::ranges::find(chosen.splits, name, &ChosenSplit::name); };
  const auto train = find(kTrain);
  if (train == chosen.splits.end()) throw DataError("hold out samples: the sources have no split \"train\"");
  if (find(kHeldOut) != chosen.splits.end()) refuse_second_val(chosen);
  if (train->rows.empty()) refuse_empty(kTrain, options);
  const auto at = train - chosen.splits.begin();
  RowGroups train_groups;
  if (!options.group_by.empty()) {
    train_groups = {groups.of_split[static_cast<std::size_t>(at)], groups.names};
    // Only other splits may lack the column; this reports it.
    if (train_groups.of_rows.empty()) {
      SampleColumn(source, train->source_split, options.group_by, "hold out groups of train");
    }
  }
  const std::vector<bool> is_held_out = held_out_rows(source, options, *train, std::move(train_groups), chosen.remarks);
  ChosenSplit held_out = {kHeldOut, train->source_split, take_marked(train->rows, is_held_out)};
  chosen.splits.insert(train + 1, std::move(held_out));
  if (options.group_by.empty()) return;
  auto held_out_groups = take_marked(groups.of_split[static_cast<std::size_t>(at)], is_held_out);
  groups.of_split.insert(groups.of_split.begin() + at + 1, std::move(held_out_groups));
}

void check_options(const SourceOptions& options) {
  if (options.limit && *options.limit < 1) {
    throw InvalidArgument("limit the samples to " + std::to_string(*options.limit) + ": `limit` must be at least 1");
  }
  check_holdout(options.holdout);
}

/// A selection may empty a split, which is then dropped, but not all splits.
void check_not_empty(std::vector<ChosenSplit>& chosen, const SourceOptions& options) {
  for (const ChosenSplit& part : chosen) {
    if (!part.rows.empty() || options.holdout.kind == Holdout::Kind::none) continue;
    if (part.name == kTrain || part.name == kHeldOut) refuse_empty(part.name, options);
  }
  std::erase_if(chosen, [](const ChosenSplit& part) { return part.rows.empty(); });
  if (chosen.empty()) {
    throw DataError("select \"" + options.select + "\": no class or sample matches");
  }
}

/// The groups must be comparable: without a holdout, `group_by` is only this check.
void remark_on_unchecked(const SampleGroups& groups, const SourceOptions& options, RowChoice& chosen) {
  std::int64_t checked_count = 0;
  std::string unchecked;
  for (std::size_t split = 0; split < chosen.splits.size(); ++split) {
    if (chosen.splits[split].rows.empty()) continue;
    const bool is_checked = !groups.of_split[split].empty();
    checked_count += is_checked ? 1 : 0;
    if (!is_checked) unchecked += (unchecked.empty() ? "" : ", ") + chosen.splits[split].name;
  }
  if (checked_count < 2) {
    throw DataError("group the samples by \"" + printable(options.group_by) + "\": there are no two splits" +
                    (unchecked.empty() ? "" : " with this column") +
                    " whose groups could be compared; add `holdout`, or omit `group_by`");
  }
  if (unchecked.empty()) return;
  chosen.remarks.push_back("the groups of " + unchecked +
                           " were not compared with those of other splits: there is no column \"" +
                           printable(options.group_by) + "\"");
}

void keep_first(std::vector<ChosenSplit>& chosen, std::int64_t limit) {
  for (ChosenSplit& part : chosen) {
    if (std::ssize(part.rows) > limit) part.rows.resize(static_cast<std::size_t>(limit));
  }
}

/// The classes of samples that have one, in their order.
std::vector<std::int32_t> labels_of(const Source& source, const ChosenSplit& part) {
  std::vector<std::int32_t> labels;
  for (const std::int64_t row : part.rows) {
    if (const auto label = source.class_index(part.source_split, row)) labels.push_back(*label);
  }
  return labels;
}

std::size_t count_different(const std::vector<std::int32_t>& labels) {
  return std::set<std::int32_t>(labels.begin(), labels.end()).size();
}

/// On the classes that a limit left in a split, if samples are in the order of classes, as in folders, so that later
/// classes are missing. `class_count`: before the limit.
std::optional<std::string> remark_on_limit(const Source& source, const ChosenSplit& part, std::size_t class_count) {
  const std::vector<std::int32_t> labels = labels_of(source, part);
  const std::size_t left = count_different(labels);
  if (left == std::min(class_count, labels.size()) || !std::ranges::is_sorted(labels)) return std::nullopt;
  return part.name + ": limited to the first " + counted(std::ssize(part.rows), "sample") + ", of " +
         (left == 1 ? "the class \"" + class_text(source, labels[0]) + "\"" : std::to_string(left) + " classes") +
         ", of " + std::to_string(class_count) + " in all; for a part of each class, use `holdout` instead";
}

void limit_rows(const Source& source, RowChoice& chosen, std::int64_t limit) {
  std::vector<std::size_t> class_counts;
  for (const ChosenSplit& part : chosen.splits) class_counts.push_back(count_different(labels_of(source, part)));
  keep_first(chosen.splits, limit);
  for (std::size_t i = 0; i < chosen.splits.size(); ++i) {
    if (auto remark = remark_on_limit(source, chosen.splits[i], class_counts[i])) {
      chosen.remarks.push_back(std::move(*remark));
    }
  }
}

}  // namespace

std::string class_text(const Source& source, std::int32_t label) {
  const auto& names = source.class_names();
  const bool is_named = label >= 0 && static_cast<std::size_t>(label) < names.size();
  return is_named ? names[static_cast<std::size_t>(label)] : std::to_string(label);
}

bool is_selected(const Source& source, std::size_t split, std::int64_t row, const std::string& pattern) {
  if (pattern.empty()) return true;
  const bool is_for_paths = pattern.find('/') != std::string::npos;
  return is_for_paths ? matches_glob(pattern, source.sample_name(split, row))
                      : is_of_class(source, split, row, pattern);
}

bool chooses_rows(const SourceOptions& options) {
  return !options.select.empty() || options.limit.has_value() || options.holdout.kind != Holdout::Kind::none ||
         !options.group_by.empty();
}

std::vector<std::string> columns_for_choice(const SourceOptions& options) {
  std::vector<std::string> columns;
  if (const auto column = group_column(options.group_by); !column.empty()) columns.emplace_back(column);
  if (options.holdout.kind == Holdout::Kind::column) columns.push_back(options.holdout.column);
  return columns;
}

RowChoice choose_rows(const Source& source, const SourceOptions& options) {
  check_options(options);
  RowChoice chosen = {select(source, options), {}};
  const bool has_groups = !options.group_by.empty();
  SampleGroups groups;
  if (has_groups) groups = find_groups(source, chosen.splits, options.group_by);
  if (options.holdout.kind != Holdout::Kind::none) hold_out(source, options, chosen, groups);
  if (has_groups) {
    check_groups(groups, chosen.splits, options.group_by);
    remark_on_unchecked(groups, options, chosen);
  }
  check_not_empty(chosen.splits, options);
  if (options.limit) limit_rows(source, chosen, *options.limit);
  return chosen;
}

}  // namespace octavo::sources
