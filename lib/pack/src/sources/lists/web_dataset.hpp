// WebDataset shards: tar archives in which the files of a sample follow each other and share their names up to the
// first point, "000017.jpg" and "000017.cls".
#pragma once

#include "sources/lists/image_list.hpp"
#include "sources/lists/folder_listing.hpp"

namespace octavo::sources {

/// Whether images and labels lie so in `tree`, an archive or several.
bool is_web_dataset(const files::FileTree& tree);

/// The samples of shards, in their order. The label is the number or the class name in the file `.cls`, or the value of
/// "label", "cls", "class" or "target" in `.json`. Class names are numbered in byte order, or as in `given_names`. A
/// split that the root does not name is found by the name of its shard, else it is "train"; shards of one split are put
/// one after another. Samples whose label is missing or is none are left out if `may_skip`; else it throws FormatError,
/// naming the sample.
ImageList list_web_dataset(const std::vector<ImageRoot>& roots, const std::vector<std::string>& given_names,
                                bool may_skip);

}  // namespace octavo::sources
