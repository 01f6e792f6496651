#include "text/dataset_overview.hpp"

#include <algorithm>
#include <octavo/batch_spec.hpp>
#include <octavo/report.hpp>
#include <octavo/statistics.hpp>

#include "text/human_units.hpp"

namespace octavo::tools {
namespace {

/// Labels are not counted beyond this size: reading them takes too long.
constexpr std::int64_t kMostLabelBytes = std::int64_t{64} << 20;
/// Of more masks, the pixels of some are counted.
constexpr std::int64_t kMostMaskBytes = std::int64_t{64} << 20;

bool has_too_many_labels(const Split& split) {
  return split.sample_count() > kMostLabelBytes / std::max<std::int64_t>(split.labels().bytes_per_sample(), 1);
}

std::optional<std::map<std::int32_t, std::int64_t>> counts_of_classes(const Split& split) {
  const LabelKind kind = split.labels().kind;
  const bool has_classes = kind == LabelKind::class_index || kind == LabelKind::multi_label;
  if (!has_classes || has_too_many_labels(split)) return std::nullopt;
  return count_classes(split);
}

std::optional<MaskCounts> counts_of_masks(const Split& split) {
  if (!split.has_masks()) return std::nullopt;
  return count_mask_pixels(split, kMostMaskBytes);
}

std::vector<TargetSummary> targets_of(const Split& split) {
  return has_too_many_labels(split) ? std::vector<TargetSummary>() : summarize_targets(split);
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
          split.max_error(),
          split.stored_bytes(),
          statistics.mean,
          statistics.standard_deviation,
          pooled_mean(statistics),
          pooled_standard_deviation(statistics),
          counts_of_classes(split),
          split.columns(),
          {},
          mask_bytes(split),
          split.stored_mask_bytes(),
          counts_of_masks(split),
          targets_of(split),
          statistics.quantization};
}

std::vector<ChannelLevelsOverview> levels_of(const Dataset& dataset, const std::string& split) {
  std::vector<ChannelLevelsOverview> all;
  for (const ChannelLoss& loss : recorded_channel_losses(dataset, split)) {
    if (!loss.levels) return {};
    all.push_back({*loss.levels, loss.effective_bits});
  }
  return all;
}

/// "(x - dataset mean) / 128; the mean is that of train, 72.9400"
std::string describe_center(const std::vector<SplitOverview>& splits) {
  const auto train =
      std::find_if(splits.begin(), splits.end(), [](const auto& split) { return split.name == "train"; });
  const std::string centered = describe(BatchSpec());
  if (train != splits.end()) return centered + "; the mean is that of train, " + format_figure(train->pooled_mean);
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
  overview.mask_class_names = mask_class_names(dataset);
  for (const std::string& name : dataset.split_names()) {
    overview.splits.push_back(survey_split(dataset.split(name)));
    overview.splits.back().loss = recorded_loss(dataset, name);
    overview.splits.back().levels = levels_of(dataset, name);
    if (has_too_many_labels(dataset.split(name))) continue;
    auto outliers = find_label_outliers(dataset.split(name));
    if (!outliers.is_nothing()) overview.label_outliers.push_back(std::move(outliers));
  }
  overview.center = describe_center(overview.splits);
  overview.provenance = Json::parse(dataset.provenance(), nullptr, false);
  return overview;
}

}  // namespace octavo::tools
