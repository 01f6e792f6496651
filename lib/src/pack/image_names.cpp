#include "pack/image_names.hpp"

#include <algorithm>
#include <filesystem>

namespace octavo::sources {

bool has_image_name(const std::string& name) {
  std::string extension = std::filesystem::path(name).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::ranges::find(kImageExtensions, extension) != kImageExtensions.end();
}

}  // namespace octavo::sources
