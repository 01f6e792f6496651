// Findings on equal and near-identical images, and on groups that splits share.
#include <algorithm>
#include <functional>
#include <iterator>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

#include "doctor/findings.hpp"

namespace octavo::doctor {
namespace {

/// More copies than this are not listed.
constexpr std::size_t kMostCopies = 4;

bool is_across_splits(const DuplicateGroup& group) {
  return std::ranges::adjacent_find(group.samples, std::ranges::not_equal_to{}, &SamplePlace::split) !=
         group.samples.end();
}

/// The first copies of the group, among them one of each split.
DoctorExample example_of(const DuplicateGroup& group, const Dataset& dataset) {
  std::vector<SamplePlace> shown;
  for (const SamplePlace& place : group.samples) {
    const bool is_first = std::ranges::find(shown, place.split, &SamplePlace::split) == shown.end();
    if (is_first) shown.push_back(place);
  }
  for (const SamplePlace& place : group.samples) {
    if (shown.size() >= kMostCopies) break;
    if (std::ranges::find(shown, place) == shown.end()) shown.push_back(place);
  }
  for (SamplePlace& place : shown) place.name = dataset.split(place.split).sample_name(place.row).value_or("");
  const auto more = std::ssize(group.samples) - std::ssize(shown);
  return {shown, more > 0 ? "and " + format_count(more) + " more" : ""};
}

template <typename Choice>
void add_groups(const DuplicateReport& equal, const Choice& is_chosen, const FindingList& list,
                DoctorFinding& finding) {
  for (const DuplicateGroup& group : equal.groups) {
    if (finding.examples.size() >= list.example_count) return;
    if (is_chosen(group)) finding.examples.push_back(example_of(group, list.dataset));
  }
}

const char* name_of(Turn turn) {
  switch (turn) {
    case Turn::none:
      return "";
    case Turn::left_right:
      return "mirrored left-right";
    case Turn::upside_down:
      return "mirrored upside-down";
    case Turn::half_turn:
      return "rotated by 180 degrees";
  }
  return "";
}

bool have_other_labels(const NearPair& pair, const SampleSet& samples) {
  const LabelLayout layout = samples.splits()[samples.split_of(pair.first)].labels();
  if (layout.kind != LabelKind::class_index && layout.kind != LabelKind::multi_label) return false;
  if (samples.splits()[samples.split_of(pair.second)].labels() != layout) return false;
  return samples.label_of(pair.first) != samples.label_of(pair.second);
}

/// Adds a finding on the chosen pairs, the most similar first.
template <typename Choice>
void add_pairs(DoctorCheck check, const std::string& what, const NearCopies& near, const Choice& is_chosen,
               const FindingList& list) {
  std::vector<NearPair> chosen;
  std::ranges::copy_if(near.pairs, std::back_inserter(chosen), is_chosen);
  if (chosen.empty()) return;
  const auto turned_count = std::ranges::count_if(chosen, [](const NearPair& pair) { return pair.turn != Turn::none; });
  std::string summary = counted(std::ssize(chosen), "pair") + " of near-identical images " + what;
  if (turned_count > 0) summary += ", " + format_count(turned_count) + " of them mirrored or rotated";
  DoctorFinding& finding = list.add(check, std::ssize(chosen), summary);
  std::ranges::stable_sort(chosen, {}, &NearPair::difference);
  if (chosen.size() > list.example_count) chosen.resize(list.example_count);
  for (const NearPair& pair : chosen) {
    finding.examples.push_back(
        {{list.samples.place_of(pair.first), list.samples.place_of(pair.second)}, name_of(pair.turn)});
  }
}

}  // namespace

std::string counted_verb(std::int64_t count, const std::string& noun, const char* one, const char* many) {
  return counted(count, noun) + (count == 1 ? one : many);
}

void FindingList::add_rows(DoctorFinding& finding, std::size_t split, const std::vector<std::int64_t>& rows) const {
  for (const std::int64_t row : rows) {
    if (finding.examples.size() >= example_count) return;
    finding.examples.push_back({{samples.place_of(samples.first_number(split) + row)}, ""});
  }
}

void add_equal_findings(const DuplicateReport& equal, const FindingList& list) {
  if (equal.between_splits_count > 0) {
    add_groups(equal, is_across_splits, list,
               list.add(DoctorCheck::equal_across_splits, equal.between_splits_count,
                        counted_verb(equal.between_splits_count, "image", " is", " are") + " in more than one split"));
  }
  if (equal.labels_differ_count > 0) {
    add_groups(
        equal, [](const DuplicateGroup& group) { return group.labels_differ; }, list,
        list.add(DoctorCheck::equal_other_label, equal.labels_differ_count,
                 counted(equal.labels_differ_count, "group") + " of equal images with different labels"));
  }
  if (equal.plain_count > 0) {
    add_groups(
        equal, [](const DuplicateGroup& group) { return !is_across_splits(group) && !group.labels_differ; }, list,
        list.add(DoctorCheck::equal_within_split, equal.plain_count,
                 counted_verb(equal.plain_count, "image", " occurs", " occur") + " more than once in one split"));
  }
}

void add_near_findings(const NearCopies& near, const FindingList& list) {
  const auto is_across = [&](const NearPair& pair) {
    return list.samples.split_of(pair.first) != list.samples.split_of(pair.second);
  };
  add_pairs(DoctorCheck::near_across_splits, "in different splits", near, is_across, list);
  const auto is_other = [&](const NearPair& pair) { return have_other_labels(pair, list.samples); };
  add_pairs(DoctorCheck::near_other_label, "with different labels", near, is_other, list);
  const auto is_plain = [&](const NearPair& pair) { return !is_across(pair) && !is_other(pair); };
  add_pairs(DoctorCheck::near_within_split, "in one split", near, is_plain, list);
}

void add_group_findings(const std::vector<SampleGrouping>& groupings, const FindingList& list) {
  for (const SampleGrouping& grouping : groupings) {
    if (grouping.shared_count == 0) continue;
    std::string summary = format_count(grouping.shared_count) + " of " + counted(grouping.group_count, "group") +
                          " by " + printable(grouping.name) + (grouping.shared_count == 1 ? " has" : " have") +
                          " samples in more than one split";
    if (grouping.ungrouped_count > 0) {
      summary += "; " + counted_verb(grouping.ungrouped_count, "sample", " has", " have") + " no group";
    }
    DoctorFinding& finding = list.add(DoctorCheck::shared_group, grouping.shared_count, summary);
    for (const SharedGroup& shared : grouping.first_shared) {
      DoctorExample& example = finding.examples.emplace_back();
      example.detail = printable(shared.name);
      for (const std::int64_t number : shared.first_numbers) example.samples.push_back(list.samples.place_of(number));
    }
  }
}

}  // namespace octavo::doctor
