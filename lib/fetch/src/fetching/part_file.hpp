// A file of which not everything has been received yet: NAME.part.
#pragma once

#include <cstdint>
#include <filesystem>

#include "support/file.hpp"

namespace octavo::fetching {

/// Opened with what an earlier call left in it. Stays where it is when it is destroyed, for the next call to go on,
/// unless it is empty.
class PartFile {
 public:
  /// `path`: of the finished file. Takes the disk space of all `total_bytes` at once, so that a full disk shows before
  /// anything is received. Throws IoError, also if something other than a file has the name.
  PartFile(const std::filesystem::path& path, std::int64_t total_bytes);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const File& file() const { return file_; }
  /// Bytes that are there, at most total_bytes.
  std::int64_t length() const { return file_.length(); }
  /// Drops what is there. Throws IoError.
  void clear();
  /// Syncs the file, gives it its name, and syncs the folder. Throws IoError.
  void publish();

 private:
  void remove_if_empty() noexcept;
  std::filesystem::path path_;
  std::filesystem::path part_path_;
  File file_;
  bool is_published_ = false;
};

}  // namespace octavo::fetching
