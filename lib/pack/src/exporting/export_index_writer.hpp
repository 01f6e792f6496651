// octavo.json in the folder of exported images: their order, labels and class names, for packing them again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

#include "exporting/class_folders.hpp"
#include "support/file.hpp"

namespace octavo::exporting {

/// Writes octavo.json, one line per sample:
///
///   {"format": "octavo-export", "version": 1,
///    "classes": ["cat", ...], "mask_classes": {"1": "road", ...},
///    "splits": {"train": [{"file": "train/3-cat/000012.png", "label": 3}, ...], ...}}
///
/// It is created before the images, and becomes valid JSON only after they are on disk: packing refuses a folder with
/// an interrupted export.
///
/// `label` is a class number, an array of 0 and 1 (multi-label), or an array of numbers with a decimal point or
/// exponent (targets). It is absent without labels,
/// and the classes of masks without names. If the split has columns, "metadata" is a JSON object as text, with
/// the values by column: readers need not look into it.
class ExportIndexWriter {
 public:
  /// Throws IoError if `path` exists or cannot be written.
  ExportIndexWriter(const std::filesystem::path& path, const std::vector<std::string>& class_names,
                    const std::map<int, std::string>& mask_class_names);
  /// Appends all samples of a split. Throws InvalidArgument for a target that JSON cannot represent, IoError.
  void add(const Split& split, const ClassFolders& folders);
  /// Syncs this file and everything in its folder to disk, then completes the file. Throws IoError.
  void finish();

 private:
  void append_label(const Split& split, std::span<const std::byte> label);
  void flush();
  File file_;
  std::int64_t written_bytes_ = 0;
  std::string pending_;
  bool has_splits_ = false;
};

}  // namespace octavo::exporting
