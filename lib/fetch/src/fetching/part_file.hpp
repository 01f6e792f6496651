// A file that is not completely received yet: NAME.part.
#pragma once

#include <cstdint>
#include <filesystem>

#include "support/file.hpp"

namespace octavo::fetching {

/// Opens what an earlier call left. The destructor keeps the file for the next call to resume, unless it is empty.
class PartFile {
 public:
  /// `path`: of the finished file. Reserves disk space for all `total_bytes`, so that a full disk is detected before
  /// anything is received. Throws IoError, also if the name belongs to something other than a regular file.
  PartFile(const std::filesystem::path& path, std::int64_t total_bytes);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const File& file() const { return file_; }
  /// Bytes received so far, at most total_bytes.
  std::int64_t length() const { return file_.length(); }
  /// Drops the received bytes. Throws IoError.
  void clear();
  /// Syncs the file, renames it to its final name, and syncs the folder. Throws IoError.
  void publish();

 private:
  void remove_if_empty() noexcept;
  std::filesystem::path path_;
  std::filesystem::path part_path_;
  File file_;
  bool is_published_ = false;
};

}  // namespace octavo::fetching
