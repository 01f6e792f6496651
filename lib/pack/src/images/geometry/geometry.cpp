#include "images/geometry/geometry.hpp"

#include <algorithm>

namespace octavo::images {
namespace {

/// round(a * b / c), halves up, at least 1 and at most `most`.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t most) {
  return std::clamp<std::int64_t>((2 * a * b + c) / (2 * c), 1, most);
}

/// The largest box of aspect ratio aspect_width : aspect_height in width x height, centered.
Box largest_box(std::int64_t width, std::int64_t height, std::int64_t aspect_width, std::int64_t aspect_height) {
  Box box = {0, 0, width, height};
  if (width * aspect_height >= height * aspect_width) {
    box.width = scaled(height, aspect_width, aspect_height, width);
  } else {
    box.height = scaled(width, aspect_height, aspect_width, height);
  }
  box.x = (width - box.width) / 2;
  box.y = (height - box.height) / 2;
  return box;
}

}  // namespace

Placement place(std::int64_t width, std::int64_t height, std::int64_t target_width, std::int64_t target_height,
                Fit fit) {
  const Box image = {0, 0, width, height};
  const Box target = {0, 0, target_width, target_height};
  switch (fit) {
    case Fit::crop:
      return {largest_box(width, height, target_width, target_height), target};
    case Fit::pad:
      return {image, largest_box(target_width, target_height, width, height)};
    case Fit::stretch:
      break;
  }
  return {image, target};
}

}  // namespace octavo::images
