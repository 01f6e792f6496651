// The folder that a set is fetched into, locked against other fetches.
#pragma once

#include <filesystem>
#include <optional>

#include "support/lock_file.hpp"

namespace octavo::fetching {

/// Creates the folder if it is missing, and holds a lock in it. The destructor removes a folder that it created if it
/// is still empty.
class FetchFolder {
 public:
  /// Throws IoError if the folder cannot be created or written, or another fetch is at work in it.
  explicit FetchFolder(std::filesystem::path path);
  ~FetchFolder();
  FetchFolder(const FetchFolder&) = delete;
  FetchFolder& operator=(const FetchFolder&) = delete;

 private:
  std::filesystem::path path_;
  bool is_made_ = false;
  std::optional<LockFile> lock_;
};

}  // namespace octavo::fetching
