// The placement of an image in a target of another size.
#pragma once

#include <cstdint>

#include <octavo/pack.hpp>

namespace octavo::images {

/// A rectangle of whole pixels.
struct Box {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const Box&) const = default;
};

/// `from`, a part of the image, is resized to fill `to`, a part of the target.
struct Placement {
  Box from;
  Box to;
};

/// Places an image of width x height in target_width x target_height; all are at least 1.
///
/// crop     from: the largest region with the target's aspect ratio, its other side rounded to nearest (halves up) and
///          at least 1, centered, the left and upper margin rounded down; to: the whole target
/// pad      from: the whole image; to: the largest region with the image's aspect ratio, rounded and centered the same
///          way
/// stretch  from: the whole image; to: the whole target
Placement place(std::int64_t width, std::int64_t height, std::int64_t target_width, std::int64_t target_height,
                Fit fit);

}  // namespace octavo::images
