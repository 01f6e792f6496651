// The arrays of one split: images and their labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::arrays {

/// The order of the image axes after N. `found`: inferred from their lengths; `found_reversed`: the same for axes that
/// MATLAB stores, which are the reverse of [H,W,N] or [H,W,C,N].
enum class AxisOrder { found, found_reversed, hw, wh, hwc, chw, cwh, whc };

/// How label numbers map to classes.
enum class LabelNumbering {
  from_zero,
  from_one,     ///< classes count from 1, as in STL-10
  svhn_digits,  ///< if the classes are 1 to 10, 10 stands for the digit 0
};

struct ArraySet {
  std::string split;
  std::string format;  ///< for the provenance: "idx", "npy"
  std::shared_ptr<Array> images;
  std::string images_name = {};  ///< in a file with several arrays
  AxisOrder order = AxisOrder::found;
  bool has_reversed_axes = false;  ///< of the images: the reverse of those that the user knows, as in MATLAB
  std::shared_ptr<Array> labels;   ///< null if there are none, or they are text
  std::optional<std::vector<std::string>> label_texts = {};  ///< one for each image
  std::string label_name = {};                               ///< quoted, for messages, if the labels are text
  bool are_whole_labels_classes = false;                     ///< also if they are stored as floats, as MATLAB does
  LabelNumbering numbering = LabelNumbering::from_zero;
  std::vector<std::string> class_names = {};    ///< empty if unknown
  std::int64_t class_count = 0;                 ///< if it is known but the names are not
  std::vector<std::string> offered_names = {};  ///< class names, if all labels are below their number
  std::string offered_by = {};                  ///< what offers them, for notes: "the array class_names"
  std::string label_problem = {};               ///< why what looks like the labels cannot be used
  std::vector<std::string> remarks = {};        ///< notes on surprising decisions
  std::string sample_prefix = {};               ///< prefix of sample names: "data_batch_1.bin"
  std::vector<std::filesystem::path> files = {};
};

}  // namespace octavo::arrays
