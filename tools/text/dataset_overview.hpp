// What `octavo info` reports about a dataset file.
#pragma once

#include <cstdint>
#include <map>
#include <octavo/dataset.hpp>
#include <octavo/duplicates.hpp>
#include <octavo/label_outliers.hpp>
#include <octavo/mask_shares.hpp>
#include <octavo/statistics.hpp>
#include <octavo/target_summary.hpp>
#include <optional>
#include <string>
#include <vector>

#include "text/json_output.hpp"

namespace octavo::tools {

/// The levels that quantizing one channel left.
struct ChannelLevelsOverview {
  std::int64_t levels = 0;
  std::optional<double> effective_bits;  ///< absent if the levels are exact, or the channel is constant
};

/// One split.
struct SplitOverview {
  std::string name;
  std::int64_t sample_count = 0;
  SampleShape shape;
  LabelLayout labels;
  bool has_masks = false;
  Color color = Color::other;
  std::string source_dtype;
  std::int64_t packed_bytes = 0;
  Compression compression = Compression::none;
  int max_error = 0;
  std::int64_t stored_bytes = 0;           ///< of the images in the file
  std::vector<double> mean;                ///< [C]
  std::vector<double> standard_deviation;  ///< [C]
  double pooled_mean = 0.0;
  double pooled_standard_deviation = 0.0;
  std::optional<std::map<std::int32_t, std::int64_t>>
      class_counts;                  ///< also of multi-labels; empty if there are no classes, or too many samples
  std::vector<std::string> columns;  ///< names of the metadata
  std::string loss;                  ///< recorded_loss()
  std::int64_t mask_bytes = 0;
  std::int64_t stored_mask_bytes = 0;     ///< of the masks in the file
  std::optional<MaskCounts> mask_counts;  ///< of some of the samples if there are many; empty without masks
  std::vector<TargetSummary> targets;     ///< of each column; empty if there are none, or too many samples
  std::vector<ChannelQuantization> quantization = {};  ///< [C]
  std::vector<ChannelLevelsOverview> levels = {};      ///< [C]; empty if nothing was quantized, or they are unknown
};

/// The whole file.
struct DatasetOverview {
  std::string path;
  std::int64_t format_version = 0;
  std::string writer;
  std::string created;
  std::string uuid;
  std::int64_t file_bytes = 0;
  std::vector<std::string> class_names;
  std::map<int, std::string> mask_class_names;
  std::vector<SplitOverview> splits;
  std::string center;                         ///< the default normalization of batches
  std::vector<LabelOutliers> label_outliers;  ///< of each split that has any
  Json provenance;
  std::optional<DuplicateReport> duplicates;  ///< empty unless requested
};

DatasetOverview survey(const Dataset& dataset);

}  // namespace octavo::tools
