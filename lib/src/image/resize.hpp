// Resizing, antialiased.
#pragma once

#include "image/geometry.hpp"
#include "image/pixels.hpp"

namespace octavo::image {

/// The part `from` of `image` resized to width x height with a triangle filter whose support grows with the reduction
/// (antialiased bilinear); values are taken as linear, pixels beyond the edge of `from` repeat it. A part that has that
/// size already is copied. Throws std::bad_alloc.
Pixels resized(const Pixels& image, const Box& from, std::int64_t width, std::int64_t height);

}  // namespace octavo::image
