// Where height, width and channels of images lie in an array.
#pragma once

#include <cstdint>

#include <octavo/sample.hpp>

#include "arrays/array.hpp"
#include "arrays/array_set.hpp"

namespace octavo::arrays {

/// The shape of one image, and how many numbers of its row lie between neighbors along each axis.
struct ImageAxes {
  SampleShape shape;
  std::int64_t channel_step = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;

  /// Whether a row lies as a packed sample does, [C,H,W].
  bool is_planar() const;
};

/// Reads the axes of `images` as `order` has it. With AxisOrder::found, three axes are N, H, W, unless the last is 3
/// or 4 as in one color image; four are N, H, W, C where the last is 1, 3 or 4, else N, C, H, W where the second is.
/// Throws FormatError, naming the array, if the axes fit no such order, or both.
ImageAxes image_axes(const Array& images, AxisOrder order);

}  // namespace octavo::arrays
