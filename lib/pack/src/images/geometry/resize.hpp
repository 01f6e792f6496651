// Antialiased resizing into planes.
#pragma once

#include "images/geometry/geometry.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The output planes: pixel (y, x) of channel c is values[c * plane_stride + y * row_stride + x].
struct Planes {
  std::uint8_t* values = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t plane_stride = 0;
};

/// Resizes the part `from` of the image to width x height pixels in `out`, with a triangle filter whose support grows
/// with the reduction (antialiased bilinear) and ends at the edge of `from`; values are treated as linear. Integer
/// arithmetic (docs/conversions.md) gives the same bits everywhere. A part that already has the right size is copied.
///
/// image      the image, or a reduced one in which each square of `reduction` x `reduction` pixels has become one
/// from       in pixels of the full image; its edges may be between pixels of a reduced one
/// Throws std::bad_alloc.
void resize(const Pixels& image, int reduction, const Box& from, std::int64_t width, std::int64_t height,
            const Planes& out);

}  // namespace octavo::images
