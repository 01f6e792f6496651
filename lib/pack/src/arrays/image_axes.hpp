// The height, width and channel axes of arrays of images.
#pragma once

#include <cstdint>

#include <octavo/sample.hpp>

#include "arrays/array.hpp"
#include "arrays/array_set.hpp"

namespace octavo::arrays {

/// The shape of one image, and the step in numbers between neighbors along each axis.
struct ImageAxes {
  SampleShape shape;
  std::int64_t channel_step = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;

  /// Whether a row has the layout of a packed sample, [C,H,W].
  bool is_planar() const;
};

/// Interprets the axes of `images` in the given order. With AxisOrder::found, three axes are N, H, W, unless the last
/// is 3 or 4 as in a single color image. Four axes are N, H, W, C if the last is 1, 3 or 4, else N, C, H, W if the
/// second is. Throws FormatError, naming the array, if the axes fit neither order or both. With
/// AxisOrder::found_reversed, the same for MATLAB's axes: [H,W,N] or [H,W,C,N], reversed.
ImageAxes image_axes(const Array& images, AxisOrder order);

}  // namespace octavo::arrays
