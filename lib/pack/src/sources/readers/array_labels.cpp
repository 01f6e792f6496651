#include "sources/readers/array_labels.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "labels/text_labels.hpp"
#include "support/file.hpp"
#include "support/text/short_text.hpp"

namespace octavo::sources {
namespace {

using arrays::ArraySet;
using arrays::LabelTable;

/// The name of a sample, as in ArraySource.
std::string sample_of(const ArraySet& set, std::int64_t row) { return set.sample_prefix + "#" + std::to_string(row); }

template <typename Stored>
void store(double number, std::size_t at, std::vector<std::byte>& labels) {
  const auto stored = static_cast<Stored>(number);
  std::memcpy(labels.data() + at * sizeof stored, &stored, sizeof stored);
}

/// The samples of all sets whose labels are text, in their order.
struct TextSamples {
  std::vector<std::size_t> first_samples;  ///< of each set
  std::size_t count = 0;

  explicit TextSamples(const std::vector<ArraySet*>& sets) {
    for (const ArraySet* set : sets) {
      first_samples.push_back(count);
      count += set->label_texts->size();
    }
  }
  std::pair<std::size_t, std::int64_t> place_of(std::size_t sample) const {
    const auto after = std::ranges::upper_bound(first_samples, sample);
    const auto set = static_cast<std::size_t>(after - first_samples.begin()) - 1;
    return {set, static_cast<std::int64_t>(sample - first_samples[set])};
  }
};

void check_count(const ArraySet& set) {
  if (std::ssize(*set.label_texts) == set.images->row_count()) return;
  throw FormatError("read the labels " + set.label_name + ": there are " + std::to_string(set.label_texts->size()) +
                    ", but there are " + std::to_string(set.images->row_count()) + " images; give the matching labels");
}

labels::LabelTable numbered(const std::vector<ArraySet*>& sets, const TextSamples& samples,
                            const SourceOptions& options) {
  labels::TextLabels texts(options.class_names, options.label_kind);
  for (const ArraySet* set : sets) {
    for (const std::string& text : *set->label_texts) texts.add(text);
  }
  try {
    return texts.numbered([&](std::size_t sample) {
      const auto [set, row] = samples.place_of(sample);
      return sample_of(*sets[set], row);
    });
  } catch (const FormatError& problem) {
    throw FormatError("read the labels " + sets[0]->label_name + ": " + problem.what());
  }
}

/// The tables of the sets whose labels are text.
std::vector<LabelTable> text_tables(const std::vector<ArraySet*>& sets, const SourceOptions& options) {
  for (const ArraySet* set : sets) check_count(*set);
  const TextSamples samples(sets);
  const labels::LabelTable all = numbered(sets, samples, options);
  std::vector<LabelTable> tables(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    tables[i].layout = all.layout;
    tables[i].labels.resize(sets[i]->label_texts->size() * static_cast<std::size_t>(all.layout.bytes_per_sample()));
    if (all.layout.kind == LabelKind::class_index && sets[i]->class_names.empty())
      sets[i]->class_names = all.class_names;
    sets[i]->label_texts.reset();
  }
  std::vector<bool> is_unlabeled(samples.count);
  for (const labels::Unlabeled& sample : all.unlabeled) {
    const auto [set, row] = samples.place_of(sample.at);
    tables[set].unlabeled.push_back({row, sample.reason});
    is_unlabeled[sample.at] = true;
  }
  for (std::size_t sample = 0; sample < samples.count; ++sample) {
    if (is_unlabeled[sample]) continue;
    const auto [set, row] = samples.place_of(sample);
    const auto at = static_cast<std::size_t>(row);
    if (all.layout.kind == LabelKind::class_index) store<std::int32_t>(all.numbers[sample], at, tables[set].labels);
    if (all.layout.kind == LabelKind::target) store<float>(all.numbers[sample], at, tables[set].labels);
  }
  return tables;
}

std::int32_t largest_class(const LabelTable& table) {
  std::int32_t largest = -1, label = 0;
  for (std::size_t at = 0; at < table.labels.size(); at += sizeof label) {
    std::memcpy(&label, table.labels.data() + at, sizeof label);
    largest = std::max(largest, label);
  }
  return largest;
}

/// Why these names are not those of the classes of all sets; empty if they are.
std::string naming_problem(const std::vector<std::string>& names, const std::vector<ArraySet>& sets,
                           const std::vector<LabelTable>& tables) {
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) return "some are equal";
  for (const std::string& name : names) {
    if (trimmed(name).empty()) return "one is empty";
    if (const auto problem = text_problem(name)) return "one is " + *problem;
  }
  if (std::ranges::all_of(tables, [](const LabelTable& table) { return table.layout.kind == LabelKind::none; })) {
    return "there are no labels";
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const LabelTable& table = tables[i];
    if (table.layout.kind == LabelKind::none) continue;
    if (table.layout.kind == LabelKind::multi_label && table.layout.width == std::ssize(names)) continue;
    if (table.layout.kind != LabelKind::class_index) return "the labels are not class numbers";
    if (const std::int32_t largest = largest_class(table); largest >= std::ssize(names)) {
      return "it has " + counted(std::ssize(names), "name") + ", but the labels go up to " + std::to_string(largest);
    }
  }
  return "";
}

/// Names the classes of all sets that have none, if one set offers names that fit all of them.
void use_offered_names(std::vector<ArraySet>& sets, const std::vector<LabelTable>& tables) {
  const auto offers = [](const ArraySet& set) { return !set.offered_names.empty(); };
  const auto offering = std::ranges::find_if(sets, offers);
  if (offering == sets.end()) return;
  const std::vector<std::string> names = offering->offered_names;
  const bool are_named = std::ranges::any_of(sets, [](const ArraySet& set) { return !set.class_names.empty(); });
  const bool are_one = std::ranges::all_of(
      sets, [&](const ArraySet& set) { return set.offered_names == names && set.class_count == 0; });
  std::string problem = are_named ? "they have names already" : are_one ? "" : "other sources have none, or others";
  if (problem.empty()) problem = naming_problem(names, sets, tables);
  offering->remarks.push_back(problem.empty()
                                  ? "the classes are named by " + offering->offered_by
                                  : "the classes are not named by " + offering->offered_by + ": " + problem);
  if (!problem.empty()) return;
  for (ArraySet& set : sets) set.class_names = names;
}

void remark_on_ten(std::vector<ArraySet>& sets, const std::vector<LabelTable>& tables) {
  const auto first = std::ranges::find(tables, true, &LabelTable::is_ten_zero);
  if (first == tables.end()) return;
  sets[static_cast<std::size_t>(first - tables.begin())].remarks.push_back(
      "these are SVHN's digits: label 10 is class 0");
}

void refuse_unlabeled(const std::vector<ArraySet>& sets, const std::vector<LabelTable>& tables) {
  std::int64_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (tables[i].unlabeled.empty()) continue;
    count += std::ssize(tables[i].unlabeled);
    const arrays::Unlabeled& sample = tables[i].unlabeled[0];
    if (first.empty()) first = quoted(std::filesystem::path(sample_of(sets[i], sample.row))) + ": " + sample.reason;
  }
  if (count == 0) return;
  const std::string others =
      count == 1 ? "" : "; " + counted(count - 1, "more sample") + (count == 2 ? " has none" : " have none");
  throw FormatError("read the sample " + first + others + "; add labels, or skip such samples with `on_error=skip`");
}

}  // namespace

std::vector<LabelTable> read_labels_of(std::vector<ArraySet>& sets, const SourceOptions& options) {
  std::vector<LabelTable> tables(sets.size());
  std::vector<ArraySet*> with_texts;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    ArraySet& set = sets[i];
    if (set.label_texts) with_texts.push_back(&set);
    if (!set.labels) continue;
    tables[i] = arrays::read_labels(*set.labels, {set.numbering, set.are_whole_labels_classes, options.label_kind},
                                    set.images->row_count());
    set.labels.reset();
  }
  if (!with_texts.empty()) {
    std::vector<LabelTable> of_texts = text_tables(with_texts, options);
    for (std::size_t i = 0; i < with_texts.size(); ++i) {
      tables[static_cast<std::size_t>(with_texts[i] - sets.data())] = std::move(of_texts[i]);
    }
  }
  if (options.class_names.empty()) use_offered_names(sets, tables);
  remark_on_ten(sets, tables);
  if (!options.skip_unreadable) refuse_unlabeled(sets, tables);
  return tables;
}

}  // namespace octavo::sources
