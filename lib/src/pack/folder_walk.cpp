#include "pack/folder_walk.hpp"

#include <filesystem>

namespace octavo::sources {

bool has_image_name(const std::string& name) {
  std::string extension = std::filesystem::path(name).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

}  // namespace octavo::sources
