// Turning a stored image the way it is to be seen.
#pragma once

#include "images/pixels.hpp"

namespace octavo::images {

/// The image turned upright: for orientation 2 mirrored, 3 turned by 180 degrees, 4 flipped, 5 transposed, 6 turned by
/// 90 degrees to the right, 7 transposed along the other diagonal, 8 turned to the left; 1 returns it as it is.
Pixels turned_upright(Pixels image, int orientation);

}  // namespace octavo::images
