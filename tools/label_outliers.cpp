#include "label_outliers.hpp"

#include <algorithm>
#include <cmath>

#include "human_units.hpp"

namespace octavo::tools {
namespace {

constexpr std::int64_t kManyTimes = 10;
constexpr std::size_t kMostListed = 10;

/// Tukey's outer fences of a column. Infinite and NaN values do not count.
struct Fences {
  float low = 0.0F, high = 0.0F;

  explicit Fences(std::vector<float> column) {
    std::erase_if(column, [](float value) { return !std::isfinite(value); });
    if (column.empty()) return;
    std::sort(column.begin(), column.end());
    const float lower = column[(column.size() - 1) / 4], upper = column[(column.size() - 1) * 3 / 4];
    if (lower == upper) {  // no spread to measure by
      low = column.front();
      high = column.back();
      return;
    }
    low = lower - 3.0F * (upper - lower);
    high = upper + 3.0F * (upper - lower);
  }

  bool contain(float value) const { return low <= value && value <= high; }
};

std::int64_t median_of(std::vector<std::int64_t> counts) {
  if (counts.empty()) return 0;
  const auto middle = counts.begin() + (std::ssize(counts) - 1) / 2;
  std::nth_element(counts.begin(), middle, counts.end());
  return *middle;
}

void add_classes(std::string& text, const std::string& what, const std::vector<std::int32_t>& labels) {
  if (labels.empty()) return;
  text += (text.empty() ? "" : "; ") + what + " " + format_count(std::ssize(labels)) +
          (labels.size() == 1 ? " class (" : " classes (");
  for (std::size_t i = 0; i < std::min(labels.size(), kMostListed); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(labels[i]);
  }
  text += labels.size() > kMostListed ? ", ...)" : ")";
}

void add_targets(std::string& text, const std::string& what, std::int64_t sample_count) {
  if (sample_count > 0) text += (text.empty() ? "" : "; ") + counted(sample_count, "sample") + " with a target " + what;
}

}  // namespace

LabelOutliers outliers_of_classes(const std::string& split, const std::map<std::int32_t, std::int64_t>& class_counts,
                                  const std::vector<std::string>& class_names) {
  LabelOutliers outliers;
  outliers.split = split;
  std::vector<std::int64_t> counts;
  for (const auto& [label, count] : class_counts) counts.push_back(count);
  outliers.median_count = median_of(std::move(counts));
  for (const auto& [label, count] : class_counts) {
    if (count * kManyTimes < outliers.median_count) outliers.rare.push_back(label);
    if (count > outliers.median_count * kManyTimes) outliers.frequent.push_back(label);
    if (!class_names.empty() && label >= std::ssize(class_names)) outliers.nameless.push_back(label);
  }
  for (std::int32_t label = 0; label < std::ssize(class_names); ++label) {
    if (!class_counts.contains(label)) outliers.empty.push_back(label);
  }
  return outliers;
}

LabelOutliers outliers_of_targets(const std::string& split, const std::vector<float>& targets, std::int64_t width) {
  LabelOutliers outliers;
  outliers.split = split;
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t rows = targets.size() / columns;
  std::vector<bool> is_not_finite(rows), is_far(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<float> column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = targets[row * columns + c];
    const Fences fences(column);
    for (std::size_t row = 0; row < rows; ++row) {
      if (!std::isfinite(column[row])) {
        is_not_finite[row] = true;
      } else if (!fences.contain(column[row])) {
        is_far[row] = true;
      }
    }
  }
  outliers.not_finite_targets = std::count(is_not_finite.begin(), is_not_finite.end(), true);
  outliers.far_targets = std::count(is_far.begin(), is_far.end(), true);
  return outliers;
}

Json as_json(const LabelOutliers& outliers) {
  return {{"split", outliers.split},
          {"median_class_count", outliers.median_count},
          {"empty_classes", outliers.empty},
          {"rare_classes", outliers.rare},
          {"frequent_classes", outliers.frequent},
          {"nameless_classes", outliers.nameless},
          {"not_finite_targets", outliers.not_finite_targets},
          {"far_targets", outliers.far_targets}};
}

std::string as_text(const LabelOutliers& outliers) {
  const std::string median = "the median (" + counted(outliers.median_count, "sample") + "):";
  std::string text;
  add_classes(text, "no samples:", outliers.empty);
  add_classes(text, "fewer than a tenth of " + median, outliers.rare);
  add_classes(text, "more than ten times " + median, outliers.frequent);
  add_classes(text, "no class name:", outliers.nameless);
  add_targets(text, "that is not finite", outliers.not_finite_targets);
  add_targets(text, "far outside the usual range", outliers.far_targets);
  return text;
}

}  // namespace octavo::tools
