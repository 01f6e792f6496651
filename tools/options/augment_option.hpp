// The option --augment.
#pragma once

#include <string>

#include <octavo/augment.hpp>

namespace octavo::tools {

/// The help text of --augment.
inline std::string augment_help() {
  return "Operations on images, such as crop:4,flip,cutout:8. All: " + augment::spellings() +
         ". Other parameters have names, as in crop:4:border=edge";
}

}  // namespace octavo::tools
