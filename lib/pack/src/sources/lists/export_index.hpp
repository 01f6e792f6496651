// octavo.json, which `octavo export` leaves beside the images it writes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

inline constexpr const char* kExportIndexName = "octavo.json";

/// The folder of the tree in which octavo.json is: the root, or the only folder in it, as archives are made.
std::optional<std::string> exported_folder(const files::FileTree& tree);

/// Reads the octavo.json of a folder of a tree, and takes order, labels and class names from it:
///
///   {"format": "octavo-export", "version": 1,
///    "classes": ["cat", ...],
///    "splits": {"train": [{"file": "0003-cat/000012.png", "label": 3}, ...], ...}}
///
/// `label` is a class number, an array of 0 and 1 (multi-label), an array of numbers of which one is not whole or is
/// written with a point (targets), or left out; the same in all samples of a split. `classes` may be left out or empty.
/// Splits keep their order, and samples theirs, in an archive that of the archive. Throws FormatError if it is anything
/// else, if a file lies outside the folder, or IoError.
ImageList read_export_index(const std::shared_ptr<const files::FileTree>& tree, const std::string& folder);

}  // namespace octavo::sources
