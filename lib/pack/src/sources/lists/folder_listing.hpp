// Listing images in folders, on disk or in an archive, by class and split.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// A folder to be listed.
struct ImageRoot {
  std::shared_ptr<const files::FileTree> tree;
  std::string folder = {};  ///< in the tree
  std::string split = {};   ///< empty: found by convention
};

/// The images of folders. A folder that holds folders named as splits (see split_names.hpp) has
/// these splits; any other is one split, named as wanted, else by its own name if that is one of these, else "train".
/// In a split each folder is a class that holds all images below it; a split without class folders has no labels.
/// Classes of all splits are numbered together, in `order`, or as in `given_names` if there are any.
/// Throws InvalidArgument if there is no image, another folder beside the splits holds images, two folders are one
/// split, a class is not among the given names, or a name is not UTF-8; IoError.
ImageList list_image_folders(const std::vector<ImageRoot>& roots, ClassOrder order,
                                  const std::vector<std::string>& given_names);

}  // namespace octavo::sources
