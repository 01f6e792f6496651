// An array in a file that may hold several, as listed before it is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "arrays/element.hpp"

namespace octavo::arrays {

struct ListedArray {
  std::string name;  ///< "train/images"
  Element element = Element::uint8;
  std::vector<std::int64_t> axes;
  /// What it holds if that is not plain numbers, "text" or "Python objects", or why it cannot be read, "a link to b.h5,
  /// which is missing"; empty: numbers. `element` is then unspecified, and `axes` may be empty.
  std::string unusable = {};
  bool has_reversed_axes = false;             ///< as MATLAB's: the program that wrote them shows them reversed
  bool is_text = false;                       ///< holds text that can be read; `unusable` is then "text"
  std::vector<std::string> value_names = {};  ///< of an enumeration: the names of the numbers 0, 1, ...
  std::string object = {};                    ///< if not empty: two names with the same text here are one array
  std::filesystem::path file = {};            ///< the file that holds it, if a link leads there; else empty

  bool is_usable() const { return unusable.empty(); }
  /// The number of values under one index of the first axis; 0 if there are no axes.
  std::int64_t row_values() const {
    std::int64_t count = axes.empty() ? 0 : 1;
    // Also for axes that no file can hold: the array is refused when it is opened.
    for (std::size_t axis = 1; axis < axes.size(); ++axis) {
      if (__builtin_mul_overflow(count, axes[axis], &count)) return INT64_MAX;
    }
    return count;
  }
};

/// "3 x 8 x 9": the shape, with the axes in the order in which the program that wrote the file shows them.
std::string shape_text(const ListedArray& array);

}  // namespace octavo::arrays
