#include "dataset_overview.hpp"

#include <algorithm>
#include <cstring>
#include <octavo/batch_spec.hpp>
#include <octavo/statistics.hpp>

#include "human_units.hpp"

namespace octavo::tools {
namespace {

/// Labels are not counted beyond this size: reading them takes too long.
constexpr std::int64_t kMostLabelBytes = std::int64_t{64} << 20;
constexpr std::int64_t kRowsAtOnce = 1 << 16;

std::optional<std::map<std::int32_t, std::int64_t>> count_classes(const Split& split) {
  if (split.labels().kind != LabelKind::class_index || 4 * split.sample_count() > kMostLabelBytes) return std::nullopt;
  std::map<std::int32_t, std::int64_t> counts;
  std::vector<std::int32_t> labels;
  for (std::int64_t first = 0; first < split.sample_count(); first += kRowsAtOnce) {
    labels.resize(static_cast<std::size_t>(std::min(kRowsAtOnce, split.sample_count() - first)));
    split.read_labels(first, static_cast<std::int64_t>(labels.size()), std::as_writable_bytes(std::span(labels)));
    for (const std::int32_t label : labels) ++counts[label];
  }
  return counts;
}

/// Empty if the labels are not targets, or there are too many.
std::vector<float> targets_of(const Split& split) {
  const LabelLayout layout = split.labels();
  const bool are_too_many =
      split.sample_count() > kMostLabelBytes / std::max<std::int64_t>(layout.bytes_per_sample(), 1);
  if (layout.kind != LabelKind::target || are_too_many) return {};
  std::vector<float> targets(static_cast<std::size_t>(split.sample_count() * layout.width));
  split.read_labels(0, split.sample_count(), std::as_writable_bytes(std::span(targets)));
  return targets;
}

LabelOutliers find_outliers(const Split& split, const SplitOverview& overview) {
  if (overview.class_counts) return outliers_of_classes(split.name(), *overview.class_counts, split.class_names());
  const auto targets = targets_of(split);
  return targets.empty() ? LabelOutliers() : outliers_of_targets(split.name(), targets, split.labels().width);
}

SplitOverview survey_split(const Split& split) {
  const Statistics statistics = split.statistics();
  return {split.name(),
          split.sample_count(),
          split.shape(),
          split.labels(),
          split.has_masks(),
          split.color(),
          split.source_dtype(),
          split.packed_bytes(),
          split.compression(),
          split.stored_bytes(),
          statistics.mean,
          statistics.standard_deviation,
          pooled_mean(statistics),
          pooled_standard_deviation(statistics),
          count_classes(split),
          split.columns()};
}

/// "(x - dataset mean) / 128; the mean is that of train, 72.9400"
std::string describe_center(const std::vector<SplitOverview>& splits) {
  const auto train =
      std::find_if(splits.begin(), splits.end(), [](const auto& split) { return split.name == "train"; });
  const std::string centered = describe(BatchSpec());
  if (train != splits.end()) return centered + "; the mean is that of train, " + format_fixed(train->pooled_mean, 4);
  return centered + "; each split has its own mean";
}

}  // namespace

DatasetOverview survey(const Dataset& dataset) {
  DatasetOverview overview;
  overview.path = dataset.path().string();
  overview.format_version = dataset.format_version();
  overview.writer = dataset.writer();
  overview.created = dataset.created();
  overview.uuid = dataset.uuid();
  overview.file_bytes = dataset.file_bytes();
  overview.class_names = dataset.class_names();
  for (const std::string& name : dataset.split_names()) {
    overview.splits.push_back(survey_split(dataset.split(name)));
    auto outliers = find_outliers(dataset.split(name), overview.splits.back());
    if (!outliers.is_nothing()) overview.label_outliers.push_back(std::move(outliers));
  }
  overview.center = describe_center(overview.splits);
  overview.provenance = Json::parse(dataset.provenance(), nullptr, false);
  return overview;
}

}  // namespace octavo::tools
