// Folders next to an image list that would be its classes without it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/file_tree.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// The names of the folders with images in `folder`, or in its split folders, if there are at least two, in byte order.
/// Folders that are named like splits, and folders of images and masks, are not classes.
std::vector<std::string> class_folders(const files::FileTree& tree, const std::string& folder);

/// What a user can do instead of correcting a list in `folder`: "; ..."; empty if there are no class folders.
std::string way_out_of_list(const files::FileTree& tree, const std::string& folder);

/// On labels of the list at `path` that are not the class folders of its images; nothing if there are none.
std::optional<std::string> remark_on_class_folders(const ImageList& contents, const files::FileTree& tree,
                                                   const std::string& path);

}  // namespace octavo::sources
