// Applies the EXIF orientation to a stored image.
#pragma once

#include "images/pixels.hpp"

namespace octavo::images {

/// The image turned upright. Orientation 1: unchanged, 2: mirrored, 3: rotated by 180 degrees, 4: flipped vertically,
/// 5: transposed, 6: rotated by 90 degrees clockwise, 7: transposed along the other diagonal, 8: rotated by 90 degrees
/// counterclockwise.
Pixels turned_upright(Pixels image, int orientation);

}  // namespace octavo::images
