// Folders of images with a folder of masks next to them.
#pragma once

#include <optional>
#include <string>

#include "files/file_tree.hpp"
#include "sources/lists/image_list.hpp"
#include "sources/lists/mask_pattern.hpp"

namespace octavo::sources {

/// Two folders in a tree.
struct MaskFolders {
  std::string images;
  std::string masks;
};

/// The folders of images and masks in `folder`, both with images: by their usual names, such as images/ and masks/, or
/// two that are named like a pair, such as input/ and target/, and whose files look like images and their masks.
std::optional<MaskFolders> find_mask_folders(const files::FileTree& tree, const std::string& folder);

/// Finds the mask of each image of `list`, which are below `folders.images`: the file below `folders.masks` with the
/// same path except its extension or, with a `pattern`, the name that it gives; files with other names are not masks.
/// An image without a mask and a mask without an image are errors; if `may_skip`, they are left out. Throws
/// InvalidArgument naming the file, also if two images or two masks have the same path, or if they are in an archive.
void pair_with_masks(const MaskFolders& folders, const MaskPattern* pattern, bool may_skip, SplitImages& list,
                     std::vector<SampleFailure>& left_out);

}  // namespace octavo::sources
