// Recognizing image files by name.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace octavo::sources {

/// The extensions of image files, in lower case.
inline constexpr std::array<std::string_view, 13> kImageExtensions = {
    ".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".gif", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".pam"};

/// Whether a name has an image extension, in upper or lower case.
bool has_image_name(const std::string& name);

}  // namespace octavo::sources
