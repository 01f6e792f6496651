// The folder that an export fills: empty before, and again if the export fails.
#pragma once

#include <filesystem>

namespace octavo::exporting {

/// A folder that did not exist or was empty. Until keep() has been called, its destructor takes back everything that
/// has come into it, and the folders that were made for it.
class TargetFolder {
 public:
  /// Makes the folder, with those above it, where it is missing. Throws InvalidArgument if it holds something or is no
  /// folder, IoError if it cannot be made.
  explicit TargetFolder(std::filesystem::path path);
  ~TargetFolder();
  TargetFolder(const TargetFolder&) = delete;
  TargetFolder& operator=(const TargetFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path path_;
  std::filesystem::path topmost_made_;  ///< the folder above all others that were made; empty: it was there
  bool is_kept_ = false;
};

/// Makes a folder; it may exist. Throws IoError.
void make_folder(const std::filesystem::path& path);

}  // namespace octavo::exporting
