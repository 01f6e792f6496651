// A lock that keeps two writers apart, also in different processes.
#pragma once

#include <filesystem>
#include <string>

#include "support/file.hpp"

namespace octavo {

/// An advisory lock on a file of its own, made for it and removed with it. The system lets go of it when its process
/// ends, however that happens; the file that a killed process leaves behind locks nobody out.
class LockFile {
 public:
  /// Takes the lock at once. Throws IoError with the message `when_taken` if somebody else has it, or IoError if the
  /// file cannot be made. On file systems without locks everybody gets it.
  LockFile(std::filesystem::path path, const std::string& when_taken);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

}  // namespace octavo
