// Labels in an array: detecting their kind and converting them for a dataset file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/sample.hpp>

#include "arrays/array_set.hpp"

namespace octavo::arrays {

/// A sample without a label.
struct Unlabeled {
  std::int64_t row = 0;
  std::string reason;  ///< "its label is missing (-1)"
};

struct LabelTable {
  LabelLayout layout = {};
  /// layout.bytes_per_sample() bytes for each image; zeros for those without a label.
  std::vector<std::byte> labels = {};
  std::vector<Unlabeled> unlabeled = {};  ///< in ascending order
  bool is_ten_zero = false;               ///< the classes are 1 to 10 as in SVHN, and 10 became 0
};

/// What decides the kind of labels in addition to their numbers.
struct LabelRules {
  LabelNumbering numbering = LabelNumbering::from_zero;
  bool are_whole_labels_classes = false;  ///< as in ArraySet
  std::optional<LabelKind> wanted = {};   ///< class_index or target: as in SourceOptions::label_kind
};

/// One whole number per image, also in a row [1,N], is a class; several values of 0 and 1 are multi-labels; floats and
/// other whole numbers are targets. A class of -1 and a target with a NaN mark a sample without a label. Throws
/// FormatError, naming the array, if the number of labels and images differs; and with the first example, if a class
/// number is negative or too large, or a target is infinite. Also what reading throws.
LabelTable read_labels(Array& labels, const LabelRules& rules, std::int64_t image_count);

}  // namespace octavo::arrays
