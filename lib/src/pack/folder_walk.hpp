// Listing folders: what is in one, and all images below one.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::sources {

/// The visible folders and files of a folder by name, each in byte order. Links are followed; what is neither folder
/// nor regular file counts as a file. Throws IoError if it cannot be listed.
struct FolderEntries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};
FolderEntries list_entries(const std::filesystem::path& folder);

/// How the names of image files end, in small letters.
inline constexpr std::array<std::string_view, 13> kImageExtensions = {
    ".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".gif", ".bmp", ".pbm", ".pgm", ".ppm", ".pnm", ".pam"};

/// Whether a name ends as those of image files do, in any case.
bool has_image_name(const std::string& name);

/// All files below `folder`, as paths below it: folders in byte order of their paths, files in byte order of their
/// names, which is the order of torchvision's ImageFolder. A folder that links lead to again is listed once.
std::vector<std::string> list_files_below(const std::filesystem::path& folder);

}  // namespace octavo::sources
