#include "images/geometry/orientation.hpp"

#include <cstring>

namespace octavo::images {
namespace {

/// Where pixel (x, y) of the upright image is in the stored one: start + x * step_right + y * step_down, in pixels.
struct Walk {
  std::int64_t start, step_right, step_down;
};

/// EXIF 2.3, tag 0x0112, defines which sides of the image row 0 and column 0 are.
Walk walk_of(int orientation, std::int64_t width, std::int64_t height) {
  const std::int64_t last_column = width - 1, last_row = (height - 1) * width;
  switch (orientation) {
    case 2:
      return {last_column, -1, width};
    case 3:
      return {last_row + last_column, -1, -width};
    case 4:
      return {last_row, 1, -width};
    case 5:
      return {0, width, 1};
    case 6:
      return {last_row, -width, 1};
    case 7:
      return {last_row + last_column, -width, -1};
    case 8:
      return {last_column, width, -1};
    default:
      return {0, 1, width};
  }
}

}  // namespace

Pixels turned_upright(Pixels image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  const Walk walk = walk_of(orientation, image.width, image.height);
  Pixels upright(orientation >= 5 ? image.height : image.width, orientation >= 5 ? image.width : image.height,
                 image.channels);
  const auto pixel_bytes = static_cast<std::size_t>(image.channels);
  std::uint8_t* to = upright.values.data();
  for (std::int64_t y = 0; y < upright.height; ++y) {
    for (std::int64_t x = 0; x < upright.width; ++x, to += pixel_bytes) {
      const std::int64_t from = walk.start + x * walk.step_right + y * walk.step_down;
      std::memcpy(to, image.values.data() + from * image.channels, pixel_bytes);
    }
  }
  return upright;
}

}  // namespace octavo::images
