// Which files of a folder are images.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace octavo::sources {

/// How the names of image files end, in small letters.
inline constexpr std::array<std::string_view, 13> kImageExtensions = {
    ".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".gif", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".pam"};

/// Whether a name ends as those of image files do, in any case.
bool has_image_name(const std::string& name);

}  // namespace octavo::sources
