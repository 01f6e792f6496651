// octavo.json, beside exported images: their order, labels and class names, for packing them again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

#include "exporting/class_folders.hpp"
#include "support/file.hpp"

namespace octavo::exporting {

/// Writes octavo.json, a line a sample:
///
///   {"format": "octavo-export", "version": 1,
///    "classes": ["cat", ...],
///    "splits": {"train": [{"file": "train/3-cat/000012.png", "label": 3}, ...], ...}}
///
/// It is there before the images, empty, and is whole JSON only once they are on the disk: packing refuses a folder in
/// which an export was cut short.
///
/// `label` is a class number, an array of 0 and 1 (multi-label) or of numbers with a point or an exponent (targets),
/// and absent without labels.
class ExportIndexWriter {
 public:
  /// Throws IoError if `path` exists or cannot be written.
  ExportIndexWriter(const std::filesystem::path& path, const std::vector<std::string>& class_names);
  /// Appends all samples of a split. Throws InvalidArgument for a target that JSON cannot hold, IoError.
  void add(const Split& split, const ClassFolders& folders);
  /// Forces everything to disk, this file and all below its folder, and then ends the file. Throws IoError.
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
