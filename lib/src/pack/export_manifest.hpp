// octavo.json, which `octavo export` leaves beside the images it writes.
#pragma once

#include <filesystem>

#include "pack/folder_contents.hpp"

namespace octavo::sources {

inline constexpr const char* kExportManifestName = "octavo.json";

/// Reads the octavo.json of a folder, and takes order, labels and class names from it:
///
///   {"format": "octavo-export", "version": 1,
///    "classes": ["cat", ...],
///    "splits": {"train": [{"file": "0003-cat/000012.png", "label": 3}, ...], ...}}
///
/// `label` is a class number, an array of 0 and 1 (multi-label), an array of numbers of which one is not whole or is
/// written with a point (targets), or left out; the same in all samples of a split. `classes` may be left out or empty.
/// Splits keep their order. Throws FormatError if it is anything else, if a file lies outside the folder, or IoError.
FolderContents read_export_manifest(const std::filesystem::path& folder);

}  // namespace octavo::sources
