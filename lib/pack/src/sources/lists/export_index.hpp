// octavo.json, which `octavo export` writes next to the images.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sources/lists/image_list.hpp"

namespace octavo::sources {

inline constexpr const char* kExportIndexName = "octavo.json";

/// The folder of the tree that holds octavo.json: the root, or its only subfolder, as in many archives.
std::optional<std::string> exported_folder(const files::FileTree& tree);

/// Reads the octavo.json of a folder of a tree, which gives order, labels and class names:
///
///   {"format": "octavo-export", "version": 1,
///    "classes": ["cat", ...],
///    "splits": {"train": [{"file": "0003-cat/000012.png", "label": 3}, ...], ...}}
///
/// `label` is a class number, an array of 0 and 1 (multi-label), an array of numbers with at least one fraction or
/// decimal point (targets), or omitted; all samples of a split have the same kind. `classes` may be omitted or empty.
/// "metadata" of a sample may be a JSON object as text: its values by column, the same columns in the whole split.
/// Splits and samples keep their order; in an archive, samples have the archive's order. Throws FormatError if the
/// contents are invalid or a file is outside the folder, or IoError.
ImageList read_export_index(const std::shared_ptr<const files::FileTree>& tree, const std::string& folder);

}  // namespace octavo::sources
