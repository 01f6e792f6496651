// Writing a new file under a temporary name and publishing it atomically.
#pragma once

#include <filesystem>
#include <optional>

#include "support/file.hpp"
#include "support/lock_file.hpp"

namespace octavo::dataset_file {

/// A path where a file appears complete or not at all. It holds a lock on `<path>.lock`, so that no other writer can
/// use the same path. Its destructor removes everything it created except the finished file.
class TargetFile {
 public:
  /// Takes the lock and removes the leftovers of a killed writer. Throws InvalidArgument if `path` exists and may not
  /// be replaced, or is not a regular file; IoError if another writer holds the lock or the folder is not writable.
  TargetFile(std::filesystem::path path, bool replace_existing);
  ~TargetFile();
  TargetFile(const TargetFile&) = delete;
  TargetFile& operator=(const TargetFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The path for writing the file: `<path>.partial`. Does not exist after construction.
  const std::filesystem::path& partial() const { return partial_; }
  /// The path for data without a final location yet: `<path>.partial.pixels`. Does not exist after construction.
  const std::filesystem::path& spool() const { return spool_; }
  /// Hides partial() and spool() from other users if they replace a file, which may be private. Throws IoError.
  void hide() const;
  /// Moves the finished, synced file from partial() to path(), and syncs the folder. A file that replaces another one
  /// has its permissions. Throws IoError, also if something else has appeared at path() in the meantime and may not be
  /// replaced.
  void publish();

 private:
  void check_is_free() const;
  void remove_leftovers();
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::filesystem::path spool_;
  bool replace_existing_ = false;
  std::optional<LockFile> lock_;  ///< released last
};

}  // namespace octavo::dataset_file
