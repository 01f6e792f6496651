// Unusual labels: classes with no or few samples, labels without a name, outlying targets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

namespace octavo {

/// The unusual labels of one split.
struct LabelOutliers {
  std::string split;
  std::int64_t median_count = 0;        ///< samples per class, over the classes that have any
  std::vector<std::int32_t> empty;      ///< classes with a name and no sample in the split
  std::vector<std::int32_t> rare;       ///< with less than a tenth of the median
  std::vector<std::int32_t> frequent;   ///< with more than ten times the median
  std::vector<std::int32_t> nameless;   ///< beyond the class names, if there are names
  std::int64_t not_finite_targets = 0;  ///< samples with an infinite or NaN target
  /// Samples with a target outside Tukey's outer fences of its column: 3 interquartile ranges beyond a quartile.
  std::int64_t far_targets = 0;
  std::vector<std::int64_t> target_rows = {};  ///< the samples of both, ascending

  bool is_nothing() const {
    return empty.empty() && rare.empty() && frequent.empty() && nameless.empty() && not_finite_targets == 0 &&
           far_targets == 0;
  }
};

/// The number of samples of each class that occurs in the split; for multi-labels, of each label that is set. Empty for
/// other labels. Throws IoError if the labels cannot be read.
std::map<std::int32_t, std::int64_t> count_classes(const Split& split);

/// Judges how often each class occurs, also of multi-labels, or each column of the targets. Reads all labels;
/// targets are kept in memory. Throws IoError if they cannot be read.
LabelOutliers find_label_outliers(const Split& split);

/// One line for people: "no samples: 3 classes (cat, dog, 9); ...". Classes without a name are shown as numbers. Empty
/// if there is nothing.
std::string to_text(const LabelOutliers& outliers, const std::vector<std::string>& class_names);

}  // namespace octavo
