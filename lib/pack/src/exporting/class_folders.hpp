// The folder and file name of each exported image.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

namespace octavo::exporting {

/// `number` in decimal, zero-padded to the width of `largest`.
std::string padded(std::int64_t number, std::int64_t largest);

/// `name` in a form that is safe in a file name: '/', '\\', control characters and leading dots become '_', and the
/// name is cut at 200 bytes between two characters. Different names may become equal; class folders differ by their
/// number.
std::string safe_name(std::string_view name);

/// The paths of the images of one split: `<label>-<class name>/<row>.png`, or `<row>.png` without classes.
class ClassFolders {
 public:
  /// `split_folder` is the first folder of each path; empty if there is only one split. `largest_label` is the largest
  /// among all samples.
  ClassFolders(const Split& split, std::string split_folder, std::int32_t largest_label);

  /// The folder of a class, relative to the target; the folder of all samples if `has_classes()` is false.
  std::string folder(std::int32_t label) const;
  /// The path of a sample relative to the target, with '/' between its parts.
  std::string path(std::int64_t row, std::int32_t label) const;
  /// The path of its mask: the same below a folder of masks.
  std::string mask_path(std::int64_t row, std::int32_t label) const { return "masks/" + path(row, label); }
  bool has_classes() const { return has_classes_; }

 private:
  std::string split_folder_;
  bool has_classes_;
  std::int64_t largest_row_;
  std::int32_t largest_label_;
  std::vector<std::string> safe_class_names_;
};

}  // namespace octavo::exporting
