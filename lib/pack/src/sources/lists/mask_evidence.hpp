// Recognizes masks by what is in the files.
#pragma once

#include <string>
#include <vector>

#include "files/file_tree.hpp"

namespace octavo::sources {

/// Whether the files in `masks` look like the masks of those in `images`, two folders in a tree on disk: the same paths
/// except for extensions and, in a few files spread over all, the same sizes and few colors where the images have
/// many. Names alone prove little, since the files of class folders are often numbered. Files that cannot be read prove
/// nothing.
bool look_like_masks(const files::FileTree& tree, const std::string& images, const std::string& masks);

/// An image and the file that may be its mask, in a tree.
struct ImageAndMask {
  std::string image, mask;
};

/// The same for files that are paired already. False without any.
bool look_like_masks(const files::FileTree& tree, const std::vector<ImageAndMask>& pairs);

}  // namespace octavo::sources
