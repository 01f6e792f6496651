// WebDataset shards: tar archives in which the files of a sample are adjacent and share their names up to the first
// dot, "000017.jpg" and "000017.cls".
#pragma once

#include "sources/lists/folders/folder_listing.hpp"
#include "sources/lists/image_list.hpp"

namespace octavo::sources {

/// Whether `tree`, one archive or several, has this structure: an image has a `.cls` file; or at least half of the
/// images have a `.json` file, and one of the first 64 such files has a label. Other archives may have a `.json` file
/// as well, such as a list, or metadata next to the images of class folders. Throws what reading a file throws, except
/// FormatError.
bool is_web_dataset(const files::FileTree& tree);

/// Lists the samples of shards, in order. The label is the text in the file `.cls`, or the value of "label", "cls",
/// "class" or "target" in `.json`; text_labels.hpp defines its meaning. If the root names no split, it is inferred from
/// the name of the shard, else "train"; the shards of a split are concatenated. Samples with a missing or invalid label
/// are left out with options.skip_unreadable; otherwise throws FormatError, naming the sample.
ImageList list_web_dataset(const std::vector<ImageRoot>& roots, const SourceOptions& options);

}  // namespace octavo::sources
