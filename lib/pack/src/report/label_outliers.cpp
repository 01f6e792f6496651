#include <octavo/label_outliers.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <octavo/byte_count.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

constexpr std::int64_t kManyTimes = 10;
constexpr std::size_t kMostListedClasses = 10;
constexpr std::int64_t kLabelRowsAtOnce = 1 << 16;

/// Tukey's outer fences of a column. Infinite and NaN values do not count.
struct TargetFences {
  float low = 0.0F, high = 0.0F;

  explicit TargetFences(std::vector<float> column) {
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

void add_classes(std::string& text, const std::string& what, const std::vector<std::int32_t>& labels,
                 const std::vector<std::string>& class_names) {
  if (labels.empty()) return;
  text += (text.empty() ? "" : "; ") + what + " " + format_count(std::ssize(labels)) +
          (labels.size() == 1 ? " class (" : " classes (");
  for (std::size_t i = 0; i < std::min(labels.size(), kMostListedClasses); ++i) {
    const bool is_named = labels[i] >= 0 && labels[i] < std::ssize(class_names);
    text += i == 0 ? "" : ", ";
    text += is_named ? printable(class_names[static_cast<std::size_t>(labels[i])]) : std::to_string(labels[i]);
  }
  text += labels.size() > kMostListedClasses ? ", ...)" : ")";
}

void add_targets(std::string& text, const std::string& what, std::int64_t sample_count) {
  if (sample_count > 0) text += (text.empty() ? "" : "; ") + counted(sample_count, "sample") + " with a target " + what;
}

/// Judges how often each class occurs in the split. Those below `class_count` should occur.
LabelOutliers outliers_of_classes(const std::string& split, const std::map<std::int32_t, std::int64_t>& class_counts,
                                  std::int64_t class_count) {
  LabelOutliers outliers;
  outliers.split = split;
  std::vector<std::int64_t> counts;
  for (const auto& [label, count] : class_counts) counts.push_back(count);
  outliers.median_count = median_of(std::move(counts));
  for (const auto& [label, count] : class_counts) {
    if (count * kManyTimes < outliers.median_count) outliers.rare.push_back(label);
    if (count > outliers.median_count * kManyTimes) outliers.frequent.push_back(label);
    if (class_count > 0 && label >= class_count) outliers.nameless.push_back(label);
  }
  for (std::int32_t label = 0; label < class_count; ++label) {
    if (!class_counts.contains(label)) outliers.empty.push_back(label);
  }
  return outliers;
}

/// Judges each column of the targets, float32 [N,width], row-major.
LabelOutliers outliers_of_targets(const std::string& split, const std::vector<float>& targets, std::int64_t width) {
  LabelOutliers outliers;
  outliers.split = split;
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t rows = targets.size() / columns;
  std::vector<bool> is_not_finite(rows), is_far(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<float> column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = targets[row * columns + c];
    const TargetFences fences(column);
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
  for (std::size_t row = 0; row < rows; ++row) {
    if (is_not_finite[row] || is_far[row]) outliers.target_rows.push_back(static_cast<std::int64_t>(row));
  }
  return outliers;
}

}  // namespace

std::map<std::int32_t, std::int64_t> count_classes(const Split& split) {
  const LabelLayout layout = split.labels();
  std::map<std::int32_t, std::int64_t> counts;
  if (layout.kind != LabelKind::class_index && layout.kind != LabelKind::multi_label) return counts;
  std::vector<std::int32_t> labels;
  const std::int64_t rows = std::max<std::int64_t>(1, kLabelRowsAtOnce / layout.width);
  for (std::int64_t first = 0; first < split.sample_count(); first += rows) {
    const std::int64_t count = std::min(rows, split.sample_count() - first);
    labels.resize(static_cast<std::size_t>(count * layout.width));
    split.read_labels(first, count, std::as_writable_bytes(std::span(labels)));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (layout.kind == LabelKind::class_index) {
        ++counts[labels[i]];
      } else if (labels[i] != 0) {
        ++counts[static_cast<std::int32_t>(i % static_cast<std::size_t>(layout.width))];
      }
    }
  }
  return counts;
}

LabelOutliers find_label_outliers(const Split& split) {
  const LabelLayout layout = split.labels();
  if (layout.kind == LabelKind::class_index) {
    return outliers_of_classes(split.name(), count_classes(split), std::ssize(split.class_names()));
  }
  if (layout.kind == LabelKind::multi_label) {
    return outliers_of_classes(split.name(), count_classes(split), layout.width);
  }
  if (layout.kind != LabelKind::target) return {};
  std::vector<float> targets(static_cast<std::size_t>(split.sample_count() * layout.width));
  split.read_labels(0, split.sample_count(), std::as_writable_bytes(std::span(targets)));
  return outliers_of_targets(split.name(), targets, layout.width);
}

std::string to_text(const LabelOutliers& outliers, const std::vector<std::string>& class_names) {
  const std::string median = "the median (" + counted(outliers.median_count, "sample") + "):";
  std::string text;
  add_classes(text, "no samples:", outliers.empty, class_names);
  add_classes(text, "fewer than a tenth of " + median, outliers.rare, class_names);
  add_classes(text, "more than ten times " + median, outliers.frequent, class_names);
  add_classes(text, "no class name:", outliers.nameless, class_names);
  add_targets(text, "that is not finite", outliers.not_finite_targets);
  add_targets(text, "far outside the usual range", outliers.far_targets);
  return text;
}

}  // namespace octavo
