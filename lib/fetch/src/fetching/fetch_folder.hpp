// The folder that a set is fetched into, while nobody else fetches into it.
#pragma once

#include <filesystem>
#include <optional>

#include "support/lock_file.hpp"

namespace octavo::fetching {

/// Makes the folder where it is missing, and holds a lock in it. A folder that it has made and that stays empty is
/// removed again.
class FetchFolder {
 public:
  /// Throws IoError if the folder cannot be made or written, or another fetch is at work in it.
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
