#include "sources/lists/image_names.hpp"

#include <algorithm>
#include <filesystem>

#include "support/ascii.hpp"

namespace octavo::sources {

bool has_image_name(const std::string& name) {
  const std::string extension = lower_case(std::filesystem::path(name).extension().string());
  return std::ranges::find(kImageExtensions, extension) != kImageExtensions.end();
}

}  // namespace octavo::sources
