// Folders next to an image list that would be its classes without it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/file_tree.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Whether a folder is no class by its name: a word of it is a split or means images, as in "train_images" or
/// "images_001".
bool is_named_for_images(const std::string& folder);

/// The names of the folders with images in `folder`, or in its split folders, if there are at least two, in byte order.
/// Folders that are named like splits or for images, and folders of images and masks, are not classes.
std::vector<std::string> class_folders(const files::FileTree& tree, const std::string& folder);

/// What a user can do instead of correcting a list in `folder`: "; ..."; empty if there are no class folders.
std::string way_out_of_list(const files::FileTree& tree, const std::string& folder);

/// On labels of the list at `path` that are not the class folders of its images; nothing if there are none.
std::optional<std::string> remark_on_class_folders(const ImageList& contents, const files::FileTree& tree,
                                                   const std::string& path);

}  // namespace octavo::sources
