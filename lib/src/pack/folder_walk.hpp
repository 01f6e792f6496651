// Listing folders: what is in one, and all images below one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace octavo::sources {

/// The visible folders and files of a folder by name, each in byte order. Links are followed; what is neither folder
/// nor regular file counts as a file. Throws IoError if it cannot be listed.
struct FolderEntries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};
FolderEntries list_entries(const std::filesystem::path& folder);

/// Whether a name ends as JPEG and PNG files do: .jpg, .jpeg or .png, in any case.
bool has_image_name(const std::string& name);

/// All files below `folder`, as paths below it: folders in byte order of their paths, files in byte order of their
/// names, which is the order of torchvision's ImageFolder. A folder that links lead to again is listed once.
std::vector<std::string> list_files_below(const std::filesystem::path& folder);

}  // namespace octavo::sources
