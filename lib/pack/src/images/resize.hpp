// Resizing, antialiased, into planes.
#pragma once

#include "images/geometry.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// Where channels go, one after another: pixel (y, x) of channel c is values[c * plane_stride + y * row_stride + x].
struct Planes {
  std::uint8_t* values = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t plane_stride = 0;
};

/// Fills width x height pixels of `out` with the part `from` of the image, resized with a triangle filter whose support
/// grows with the reduction (antialiased bilinear) and ends at the edge of `from`; values are taken as linear. Computed
/// in whole numbers (docs/conversions.md): the same bits everywhere. A part that has the wanted size already is copied.
///
/// image      the image, or what is left of it when each square of `reduction` x `reduction` pixels has become one
/// from       in pixels of the full image, so that its edges may lie between those of a reduced one
/// Throws std::bad_alloc.
void resize(const Pixels& image, int reduction, const Box& from, std::int64_t width, std::int64_t height,
            const Planes& out);

}  // namespace octavo::images
