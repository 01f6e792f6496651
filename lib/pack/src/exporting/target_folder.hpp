// The target folder of an export: empty before, and again if the export fails.
#pragma once

#include <filesystem>

namespace octavo::exporting {

/// A folder that did not exist or was empty. Unless keep() was called, the destructor removes its content and the
/// folders that the constructor created.
class TargetFolder {
 public:
  /// Creates the folder and its parents if they are missing. Throws InvalidArgument if it is not empty or not a folder,
  /// IoError if it cannot be created.
  explicit TargetFolder(std::filesystem::path path);
  ~TargetFolder();
  TargetFolder(const TargetFolder&) = delete;
  TargetFolder& operator=(const TargetFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::filesystem::path path_;
  std::filesystem::path topmost_made_;  ///< the topmost folder that was created; empty if none was
  bool is_kept_ = false;
};

/// Creates a folder; it may exist already. Throws IoError.
void make_folder(const std::filesystem::path& path);

}  // namespace octavo::exporting
