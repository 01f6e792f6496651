// Which array holds the labels of which images, by their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace octavo::sources {

/// Names that the labels of `images` may have, likeliest first: "x_train": "y_train"; "train_images": "train_labels",
/// "train_label", ...; "data": "labels", "target", ...
std::vector<std::string> label_names_for(const std::string& images);

/// An array in a file that holds several.
struct NamedArray {
  std::string name;
  std::vector<std::int64_t> axes;
};

/// Images and labels of one split.
struct ArrayPair {
  std::string split;
  std::string images;
  std::string labels;  ///< empty if there are none
};

/// Pairs the arrays of a file. Images are arrays of three axes and more whose name tells of images, or the only such
/// array; `wanted_images` and `wanted_labels` name them instead. Splits are told by names, else by `file_split`.
/// Throws FormatError or InvalidArgument, naming `file`, the arrays there are, and what to do.
std::vector<ArrayPair> pair_arrays(const std::string& file, const std::vector<NamedArray>& arrays,
                                   const std::string& wanted_images, const std::string& wanted_labels,
                                   const std::string& file_split);

}  // namespace octavo::sources
