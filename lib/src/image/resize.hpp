// Resizing, antialiased.
#pragma once

#include "image/geometry.hpp"
#include "image/pixels.hpp"

namespace octavo::image {

/// The part `from` of an image resized to width x height with a triangle filter whose support grows with the reduction
/// (antialiased bilinear); values are taken as linear, pixels beyond the edge of `from` repeat it.
///
/// image      the image, or what is left of it when each square of `reduction` x `reduction` pixels has become one
/// from       in pixels of the full image, so that its edges may lie between those of a reduced one
/// A part that has the wanted size already is copied. Throws std::bad_alloc.
Pixels resized(const Pixels& image, int reduction, const Box& from, std::int64_t width, std::int64_t height);

}  // namespace octavo::image
