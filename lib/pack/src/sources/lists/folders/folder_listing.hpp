// Listing images in folders, on disk or in an archive, by class and split.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <octavo/pack.hpp>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// A folder to list.
struct ImageRoot {
  std::shared_ptr<const files::FileTree> tree;
  std::string folder = {};                ///< in the tree
  std::string split = {};                 ///< empty: inferred by convention
  std::vector<std::string> remarks = {};  ///< of discovery
  std::string list_problem = {};          ///< why a list in the folder is not used, with a remedy; empty: there is none
  std::string format_without_list = "folder";  ///< the value of `format` that reads the images without the list
};

/// Lists the images of folders. A folder whose subfolders are named like splits (see split_names.hpp) has these splits.
/// Any other folder is one split: the given one, else its own name if that is a split name, else "train". In a split,
/// each subfolder is a class with all images below it; a split without class folders has no labels. All splits share
/// one numbering of classes, in options.class_order, or as in options.class_names if not empty. With
/// options.with_masks, folders of images may have folders of masks next to them (see mask_folders.hpp).
/// Throws InvalidArgument if no images are found, a folder next to the splits holds images, two folders are one split,
/// a class is not among the given names, or a name is not UTF-8; FormatError if a list in the folder is not used and
/// there are neither two class folders nor masks; IoError.
ImageList list_image_folders(const std::vector<ImageRoot>& roots, const SourceOptions& options);

}  // namespace octavo::sources
