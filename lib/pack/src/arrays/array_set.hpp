// The arrays of one split: images and their labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// The order of the image axes after N. `found`: inferred from their lengths.
enum class AxisOrder { found, hw, wh, hwc, chw, cwh };

/// How label numbers map to classes.
enum class LabelNumbering {
  from_zero,
  from_one,     ///< classes count from 1, as in MATLAB
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
  std::int64_t class_count = 0;               ///< if it is known but the names are not
  std::string sample_prefix = {};             ///< prefix of sample names: "data_batch_1.bin"
  std::vector<std::filesystem::path> files = {};
};

}  // namespace octavo::arrays
