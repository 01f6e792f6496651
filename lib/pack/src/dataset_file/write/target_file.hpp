// The place where a new file is made, and the moment it gets its name.
#pragma once

#include <filesystem>
#include <optional>

#include "support/file.hpp"
#include "support/lock_file.hpp"

namespace octavo::dataset_file {

/// A path under which a file is to appear complete or not at all. While one lives, no other writer can have the same
/// path: it holds a lock on `<path>.lock`. What it made besides the finished file is removed when it is destroyed.
class TargetFile {
 public:
  /// Takes the lock and removes what a writer that was killed left behind. Throws InvalidArgument if `path` exists and
  /// may not be replaced, or is no regular file; IoError if another writer is at work or the folder cannot be written.
  TargetFile(std::filesystem::path path, bool replace_existing);
  ~TargetFile();
  TargetFile(const TargetFile&) = delete;
  TargetFile& operator=(const TargetFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Where the file is made: `<path>.partial`. Free after construction.
  const std::filesystem::path& partial() const { return partial_; }
  /// Where data waits for its final place: `<path>.partial.pixels`. Free after construction.
  const std::filesystem::path& spool() const { return spool_; }
  /// Moves the finished, synced file from partial() to path(), and syncs the folder. Throws IoError, also if something
  /// else has appeared under that name meanwhile and may not be replaced.
  void publish();

 private:
  void remove_leftovers();
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::filesystem::path spool_;
  bool replace_existing_ = false;
  std::optional<LockFile> lock_;  ///< given back last
};

}  // namespace octavo::dataset_file
