// Labels in an array: which kind they are, and their numbers as a dataset file has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <octavo/sample.hpp>

#include "arrays/array_set.hpp"

namespace octavo::arrays {

struct LabelTable {
  LabelLayout layout;
  std::vector<std::byte> labels;  ///< layout.bytes_per_sample() for each image
};

/// Whole numbers, one an image, are classes; several 0 and 1 each are multi-labels; floats and other whole numbers are
/// targets. Throws FormatError, naming the array, if there are not as many as images or a class number is negative or
/// too large; else what reading throws.
LabelTable read_labels(Array& labels, LabelNumbering numbering, std::int64_t image_count);

}  // namespace octavo::arrays
