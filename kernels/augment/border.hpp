// The size of an image, and what is beyond its edge.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// The size of an image.
struct ImageSize {
  std::int32_t height, width;
};

/// What is beyond the edge of an image.
enum class Border : std::int32_t {
  constant,  ///< the fill value
  edge,      ///< the nearest pixel of the image
  reflect,   ///< the image, mirrored at the center of its edge pixel, which is not repeated
};

/// The pixel of an axis of `count` pixels that is shown at `at`, which is less than count - 1 pixels beyond either end
/// for `reflect`; -1: the fill value.
OCTAVO_HOST_DEVICE inline std::int32_t inside(Border border, std::int32_t at, std::int32_t count) {
  if (at >= 0 && at < count) return at;
  if (border == Border::constant) return -1;
  if (border == Border::edge) return at < 0 ? 0 : count - 1;
  return at < 0 ? -at : 2 * (count - 1) - at;
}

}  // namespace octavo::kernels
