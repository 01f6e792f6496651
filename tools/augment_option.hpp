// The option --augment.
#pragma once

namespace octavo::tools {

/// The help text of --augment.
inline constexpr const char* kAugmentHelp =
    "Operations on images, such as crop:4,flip,cutout:8; an unknown one shows the list";

}  // namespace octavo::tools
