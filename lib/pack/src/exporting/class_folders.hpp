// Which folder and file name each exported image gets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <octavo/dataset.hpp>

namespace octavo::exporting {

/// `number` in decimal, with zeros in front so that all numbers up to `largest` are equally long.
std::string padded(std::int64_t number, std::int64_t largest);

/// `name` as part of a file name: without '/', control characters and leading dots, which become '_', and cut at 200
/// bytes between two characters. Different names may become equal; class folders stay apart by their number.
std::string safe_name(std::string_view name);

/// The paths of the images of one split: `<label>-<class name>/<row>.png`, or `<row>.png` where a sample has no class.
class ClassFolders {
 public:
  /// `split_folder` comes before all; empty where there is one split only. `largest_label` as among all samples.
  ClassFolders(const Split& split, std::string split_folder, std::int32_t largest_label);

  /// The folder of a class, below the target; of a sample without a class if `has_classes()` is false.
  std::string folder(std::int32_t label) const;
  /// The path of a sample below the target, with '/' between its parts.
  std::string path(std::int64_t row, std::int32_t label) const;
  bool has_classes() const { return has_classes_; }

 private:
  std::string split_folder_;
  bool has_classes_;
  std::int64_t largest_row_;
  std::int32_t largest_label_;
  std::vector<std::string> safe_class_names_;
};

}  // namespace octavo::exporting
