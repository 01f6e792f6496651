#include "report/page/findings.hpp"

#include <algorithm>

#include <octavo/byte_count.hpp>
#include <octavo/label_outliers.hpp>

#include "report/origin.hpp"
#include "report/page/html.hpp"
#include "report/page/pictures.hpp"

namespace octavo::report::page {
namespace {

constexpr std::size_t kMostShownGroups = 8;
constexpr std::size_t kMostShownCopies = 4;

bool is_between_splits(const DuplicateGroup& group) {
  return std::ranges::adjacent_find(group.samples, std::ranges::not_equal_to{}, &SamplePlace::split) !=
         group.samples.end();
}

/// Pictures of a group's first sample, captioned with the places of all.
std::string duplicate_figure(const Dataset& dataset, const DuplicateGroup& group) {
  std::string places;
  for (std::size_t i = 0; i < std::min(group.samples.size(), kMostShownCopies); ++i) {
    const SamplePlace& place = group.samples[i];
    places += (i == 0 ? "" : " = ") + sample_title(dataset.split(place.split), place.row);
  }
  if (group.samples.size() > kMostShownCopies) places += " = ...";
  if (group.labels_differ) places += " (labels differ)";
  const std::int64_t row = group.samples.front().row;
  return "<figure>" + picture_of_samples(dataset.split(group.samples.front().split), {&row, 1}, places) +
         "<figcaption>" + places + "</figcaption></figure>";
}

template <typename Choice>
std::string duplicate_figures(const Dataset& dataset, const DuplicateReport& duplicates, const Choice& is_chosen) {
  std::string html;
  std::size_t shown = 0;
  for (const DuplicateGroup& group : duplicates.groups) {
    if (!is_chosen(group) || ++shown > kMostShownGroups) continue;
    html += duplicate_figure(dataset, group);
  }
  return "<div>" + html + "</div>";
}

void add_duplicates(const Dataset& dataset, const DuplicateReport& duplicates, std::vector<Finding>& findings) {
  if (duplicates.between_splits_count > 0) {
    findings.push_back({"<strong>Leakage:</strong> " + counted(duplicates.between_splits_count, "image") +
                            (duplicates.between_splits_count == 1 ? " is" : " are") +
                            " in more than one split, so an evaluation sees training data." +
                            duplicate_figures(dataset, duplicates, is_between_splits),
                        true});
  }
  if (duplicates.labels_differ_count > 0) {
    findings.push_back(
        {"<strong>Contradicting labels:</strong> " + counted(duplicates.labels_differ_count, "group") +
             " of equal images with different labels." +
             duplicate_figures(dataset, duplicates, [](const DuplicateGroup& group) { return group.labels_differ; }),
         true});
  }
  const auto is_plain = [](const DuplicateGroup& group) { return !is_between_splits(group) && !group.labels_differ; };
  if (std::ranges::any_of(duplicates.groups, is_plain)) {
    findings.push_back({"<strong>Duplicates:</strong> " + counted(duplicates.duplicate_count, "sample") + " of " +
                        format_count(duplicates.sample_count) + " equal an earlier one." +
                        duplicate_figures(dataset, duplicates, is_plain)});
  }
}

void add_blank_images(const Split& split, const SplitContent& content, std::vector<Finding>& findings) {
  if (content.blank_count == 0) return;
  const std::string text = counted(content.blank_count, "sample") + " of " + escaped(split.name());
  findings.push_back({"<strong>Blank images:</strong> " + text + " with a single value in every pixel, first " +
                          sample_title(split, content.first_blank.front()) + ".<div>" +
                          picture_of_samples(split, content.first_blank, "blank samples") + "</div>",
                      true});
}

void add_labels(const Split& split, std::vector<Finding>& findings) {
  const LabelOutliers outliers = find_label_outliers(split);
  if (outliers.is_nothing()) return;
  findings.push_back(
      {"<strong>Labels of " + escaped(split.name()) + ":</strong> " + escaped(to_text(outliers)) + ".", true});
}

void add_sizes(const Dataset& dataset, const Split& split, std::vector<Finding>& findings) {
  const Origin origin = origin_of(dataset, split.name());
  if (origin.size_outliers == 0) return;
  std::string names;
  for (const std::string& name : origin.first_size_outliers) names += (names.empty() ? "" : ", ") + escaped(name);
  findings.push_back({"<strong>Image sizes of " + escaped(split.name()) + ":</strong> " +
                      counted(origin.size_outliers, "original") +
                      " far larger, smaller, wider or taller than the "
                      "others: " +
                      names + "."});
}

}  // namespace

std::string sample_title(const Split& split, std::int64_t row) {
  const auto name = split.sample_name(row);
  return name && !name->empty() ? escaped(*name) : escaped(split.name()) + " #" + std::to_string(row);
}

std::vector<Finding> find_anomalies(const Dataset& dataset, const std::vector<SplitContent>& contents,
                                    const DuplicateReport& duplicates) {
  std::vector<Finding> findings;
  add_duplicates(dataset, duplicates, findings);
  const auto names = dataset.split_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Split split = dataset.split(names[i]);
    add_blank_images(split, contents[i], findings);
    add_labels(split, findings);
    add_sizes(dataset, split, findings);
  }
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::is_warning);
  return findings;
}

}  // namespace octavo::report::page
