// Arrays that belong together: the images of one split and their labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// Which axis of the images is which, after N. `found`: by their lengths.
enum class AxisOrder { found, hw, wh, hwc, chw, cwh };

/// How the numbers in the labels tell the class.
enum class LabelNumbering {
  from_zero,
  from_one,     ///< as MATLAB counts
  ten_is_zero,  ///< SVHN: 10 stands for the digit 0
};

struct ArraySet {
  std::string split;
  std::string format;  ///< for the provenance: "idx", "npy"
  std::shared_ptr<Array> images;
  AxisOrder order = AxisOrder::found;
  std::shared_ptr<Array> labels;  ///< null if there are none
  LabelNumbering numbering = LabelNumbering::from_zero;
  std::vector<std::string> class_names = {};  ///< empty if unknown
  std::int64_t class_count = 0;               ///< where it is known though the names are not
  std::string sample_prefix = {};             ///< samples are named after it: "data_batch_1.bin"
  std::vector<std::filesystem::path> files = {};
};

}  // namespace octavo::arrays
