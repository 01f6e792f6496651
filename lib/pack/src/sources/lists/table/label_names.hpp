// Pairing arrays of images with arrays of labels by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays/listed_array.hpp"

namespace octavo::sources {

/// Names that the labels of `images` may have, most likely first. "x_train": "y_train"; "train_images":
/// "train_labels", "train_label", ...; "data": "labels", "target", ...
std::vector<std::string> label_names_for(const std::string& images);

/// Whether an array can be labels: numbers, or text with one text per image.
bool may_be_labels(const arrays::ListedArray& array);

/// Images and labels of one split.
struct ArrayPair {
  std::string split;
  std::string images;
  std::string labels;                ///< empty if there are none
  std::string unusable_labels = {};  ///< if there are none: an array with a name for them ...
  std::string label_problem = {};    ///< ... and why it cannot be used
};

/// Pairs the arrays of a file. Images are arrays of numbers with three or more axes and a name for images, or the only
/// array with three or more axes. `wanted_images` and `wanted_labels`, if not empty, choose them instead. Splits are
/// inferred from names, else `file_split`. Throws FormatError or InvalidArgument, naming `file`, its arrays, and what
/// to do; also if a wanted array is not numbers (or, of labels, text).
std::vector<ArrayPair> pair_arrays(const std::string& file, const std::vector<arrays::ListedArray>& arrays,
                                   const std::string& wanted_images, const std::string& wanted_labels,
                                   const std::string& file_split);

}  // namespace octavo::sources
