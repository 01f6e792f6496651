// Findings on labels: leaks, classes that splits lack, imbalance, unusual labels and targets.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>

#include <octavo/byte_count.hpp>
#include <octavo/label_outliers.hpp>
#include <octavo/text.hpp>

#include "doctor/content_survey.hpp"
#include "doctor/findings.hpp"
#include "support/text/text_units.hpp"

namespace octavo::doctor {
namespace {

constexpr std::int64_t kExtremeRatio = 100;
/// In fewer samples, or samples of a class, brightness may separate the classes by chance.
constexpr std::int64_t kFewestSeparated = 20, kFewestOfClass = 5;

std::string class_name(const FindingList& list, std::int32_t label) {
  const auto& names = list.dataset.class_names();
  const bool is_named = label >= 0 && label < std::ssize(names);
  return is_named ? printable(names[static_cast<std::size_t>(label)]) : "class " + std::to_string(label);
}

/// "cat, dog, bird, ..."
std::string class_list(const FindingList& list, const std::vector<std::int32_t>& labels) {
  std::string text;
  const std::size_t shown = std::min(labels.size(), std::max<std::size_t>(list.example_count, 1));
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + class_name(list, labels[i]);
  return text + (shown < labels.size() ? ", ..." : "");
}

std::string counted_classes(std::size_t count) {
  return format_count(static_cast<std::int64_t>(count)) + (count == 1 ? " class" : " classes");
}

/// Whether no image of one class is between the darkest and the brightest of another.
bool brightness_separates(const Split& split, std::span<const float> brightness,
                          const std::map<std::int32_t, std::int64_t>& counts) {
  if (counts.size() < 2 || split.sample_count() < kFewestSeparated) return false;
  if (std::ranges::any_of(counts, [](const auto& count) { return count.second < kFewestOfClass; })) return false;
  std::vector<std::int32_t> labels(brightness.size());
  split.read_labels(0, split.sample_count(), std::as_writable_bytes(std::span(labels)));
  struct Range {
    float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
  };
  std::map<std::int32_t, Range> ranges;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (brightness[i] == ContentSurvey::kBlank) return false;
    Range& range = ranges[labels[i]];
    range.low = std::min(range.low, brightness[i]);
    range.high = std::max(range.high, brightness[i]);
  }
  std::vector<Range> sorted;
  for (const auto& [label, range] : ranges) sorted.push_back(range);
  std::ranges::sort(sorted, {}, &Range::low);
  return std::ranges::adjacent_find(sorted, [](const Range& a, const Range& b) { return a.high >= b.low; }) ==
         sorted.end();
}

/// An image of each of the first classes.
void add_first_of_classes(const Split& split, std::size_t split_number, const FindingList& list,
                          DoctorFinding& finding) {
  for (const auto& [label, rows] : example_rows(split, 1)) {
    if (rows.empty() || finding.examples.size() >= list.example_count) continue;
    finding.examples.push_back(
        {{list.samples.place_of(list.samples.first_number(split_number) + rows.front())}, class_name(list, label)});
  }
}

void add_imbalance(const Split& train, const std::map<std::int32_t, std::int64_t>& counts, const FindingList& list) {
  if (counts.size() < 2) return;
  const auto [least, most] = std::ranges::minmax_element(counts, {}, [](const auto& count) { return count.second; });
  if (most->second <= kExtremeRatio * least->second) return;
  list.add(DoctorCheck::extreme_imbalance, most->second / least->second,
           train.name() + " has " + format_count(most->second / least->second) + " times as many samples of " +
               class_name(list, most->first) + " (" + format_count(most->second) + ") as of " +
               class_name(list, least->first) + " (" + format_count(least->second) + ")");
}

}  // namespace

void add_leak_findings(const LabelLeaks& leaks, const std::vector<float>& brightness, const FindingList& list) {
  for (std::size_t i = 0; i < list.samples.splits().size(); ++i) {
    const Split& split = list.samples.splits()[i];
    if (split.labels().kind != LabelKind::class_index) continue;
    if (const auto pixel = leaks.of(i)) {
      const std::string channel = split.shape().channels > 1 ? " of channel " + std::to_string(pixel->channel) : "";
      DoctorFinding& finding =
          list.add(DoctorCheck::label_leak, split.sample_count(),
                   "all " + counted(split.sample_count(), "sample") + " of " + split.name() +
                       formatted(" show their class by the value at row %lld, column %lld",
                                 static_cast<long long>(pixel->y), static_cast<long long>(pixel->x)) +
                       channel + " (" + counted(pixel->value_count, "value") + ", none shared by two classes)");
      add_first_of_classes(split, i, list, finding);
      continue;
    }
    const auto means = std::span(brightness)
                           .subspan(static_cast<std::size_t>(list.samples.first_number(i)),
                                    static_cast<std::size_t>(split.sample_count()));
    if (!brightness_separates(split, means, count_classes(split))) continue;
    DoctorFinding& finding = list.add(DoctorCheck::label_leak, split.sample_count(),
                                      "all " + counted(split.sample_count(), "sample") + " of " + split.name() +
                                          " show their class by their brightness alone");
    add_first_of_classes(split, i, list, finding);
  }
}

void add_class_findings(const std::vector<SplitContent>& contents, const FindingList& list) {
  const Split train = list.dataset.training_split();
  const auto& splits = list.samples.splits();
  const auto number = static_cast<std::size_t>(std::ranges::find(splits, train.name(), &Split::name) - splits.begin());
  const auto& trained = contents[number].class_counts;
  if (train.labels().kind != LabelKind::class_index && train.labels().kind != LabelKind::multi_label) return;
  add_imbalance(train, trained, list);
  std::set<std::int32_t> tested;
  std::size_t other_count = 0;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (i == number || splits[i].labels().kind != train.labels().kind) continue;
    ++other_count;
    std::vector<std::int32_t> missing;
    for (const auto& [label, count] : contents[i].class_counts) {
      tested.insert(label);
      if (!trained.contains(label)) missing.push_back(label);
    }
    if (missing.empty()) continue;
    list.add(DoctorCheck::class_not_in_train, std::ssize(missing),
             counted_classes(missing.size()) + " of " + splits[i].name() + (missing.size() == 1 ? " is" : " are") +
                 " not in " + train.name() + ": " + class_list(list, missing));
  }
  if (other_count == 0) return;
  std::vector<std::int32_t> untested;
  for (const auto& [label, count] : trained) {
    if (!tested.contains(label)) untested.push_back(label);
  }
  if (untested.empty()) return;
  list.add(DoctorCheck::class_in_one_split, std::ssize(untested),
           counted_classes(untested.size()) + (untested.size() == 1 ? " is" : " are") + " only in " + train.name() +
               ": " + class_list(list, untested));
}

void add_label_findings(const FindingList& list) {
  for (std::size_t i = 0; i < list.samples.splits().size(); ++i) {
    const Split& split = list.samples.splits()[i];
    const LabelOutliers outliers = find_label_outliers(split);
    if (outliers.is_nothing()) continue;
    const std::string summary = "labels of " + split.name() + ": " + to_text(outliers, list.dataset.class_names());
    if (split.labels().kind == LabelKind::target) {
      list.add_rows(list.add(DoctorCheck::unusual_targets, std::ssize(outliers.target_rows), summary), i,
                    outliers.target_rows);
      continue;
    }
    list.add(DoctorCheck::unusual_labels,
             std::ssize(outliers.empty) + std::ssize(outliers.rare) + std::ssize(outliers.frequent) +
                 std::ssize(outliers.nameless),
             summary);
  }
}

}  // namespace octavo::doctor
