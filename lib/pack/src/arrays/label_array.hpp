// Labels in an array: detecting their kind and converting them for a dataset file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <octavo/sample.hpp>

#include "arrays/array_set.hpp"

namespace octavo::arrays {

struct LabelTable {
  LabelLayout layout;
  std::vector<std::byte> labels;  ///< layout.bytes_per_sample() bytes for each image
};

/// One whole number per image is a class; several values of 0 and 1 are multi-labels; floats and other whole numbers
/// are targets. Throws FormatError, naming the array, if the number of labels and images differs or a class number is
/// negative or too large; also what reading throws.
LabelTable read_labels(Array& labels, LabelNumbering numbering, std::int64_t image_count);

}  // namespace octavo::arrays
