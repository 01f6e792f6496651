// Unexpected labels: classes with no or few samples, labels without a name, outlying targets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json_output.hpp"

namespace octavo::tools {

/// The unexpected labels of one split.
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

  bool is_nothing() const {
    return empty.empty() && rare.empty() && frequent.empty() && nameless.empty() && not_finite_targets == 0 &&
           far_targets == 0;
  }
};

/// Judges how often each class occurs in the split.
LabelOutliers outliers_of_classes(const std::string& split, const std::map<std::int32_t, std::int64_t>& class_counts,
                                  const std::vector<std::string>& class_names);

/// Judges each column of the targets; float32 [N,width], row-major.
LabelOutliers outliers_of_targets(const std::string& split, const std::vector<float>& targets, std::int64_t width);

Json as_json(const LabelOutliers& outliers);
/// One line for people: "no samples: 3 classes (4, 7, 9); ...".
std::string as_text(const LabelOutliers& outliers);

}  // namespace octavo::tools
