// Decides whether an image with a mask is turned by its orientation.
#pragma once

#include "images/image_header.hpp"

namespace octavo::images {

/// The header of `image`, to be decoded with a mask that has the header `mask`. An image that its orientation turns,
/// but whose mask has the size of the stored pixels, becomes one without orientation, with Oddity::kept_as_stored:
/// neither is turned then. A mask with an orientation of its own is upright, and so is its image. Throws FormatError,
/// with the reason only, if the mask fits the stored pixels and the upright image, so that its size does not tell.
ImageHeader aligned_with_mask(const ImageHeader& image, const ImageHeader& mask);

}  // namespace octavo::images
