// Reads the orientation of a photograph from EXIF data.
#pragma once

#include <cstddef>
#include <span>

namespace octavo::images {

/// The orientation, 1 to 8, in an EXIF block that begins with "Exif\0\0"; 1 if there is none or it is damaged.
int exif_orientation(std::span<const std::byte> block);

}  // namespace octavo::images
