// Which files of a folder are images.
#pragma once

#include <string>

namespace octavo::sources {

/// Whether a name ends as JPEG and PNG files do: .jpg, .jpeg or .png, in any case.
bool has_image_name(const std::string& name);

}  // namespace octavo::sources
