// Labels that one might not expect: classes without samples or with few, numbers without a name, targets far off.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json_output.hpp"

namespace octavo::tools {

/// What stands out among the labels of one split.
struct LabelOutliers {
  std::string split;
  std::int64_t median_count = 0;        ///< samples of a class that has any
  std::vector<std::int32_t> empty;      ///< classes with a name and no sample here
  std::vector<std::int32_t> rare;       ///< with less than a tenth of the median
  std::vector<std::int32_t> frequent;   ///< with more than ten times the median
  std::vector<std::int32_t> nameless;   ///< beyond the class names, where there are names
  std::int64_t not_finite_targets = 0;  ///< samples with a target that is infinite or no number
  /// Samples with a target beyond Tukey's outer fences of its column: three times the distance of the quartiles.
  std::int64_t far_targets = 0;

  bool is_nothing() const {
    return empty.empty() && rare.empty() && frequent.empty() && nameless.empty() && not_finite_targets == 0 &&
           far_targets == 0;
  }
};

/// By how often each class occurs; `class_counts` are those of the split.
LabelOutliers outliers_of_classes(const std::string& split, const std::map<std::int32_t, std::int64_t>& class_counts,
                                  const std::vector<std::string>& class_names);

/// By the targets of each column; float32 [N,width], row-major.
LabelOutliers outliers_of_targets(const std::string& split, const std::vector<float>& targets, std::int64_t width);

Json as_json(const LabelOutliers& outliers);
/// One line for people: "no sample of 3 classes (4, 7, 9); ...".
std::string as_text(const LabelOutliers& outliers);

}  // namespace octavo::tools
