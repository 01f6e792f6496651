// A lock that excludes concurrent writers, also in other processes.
#pragma once

#include <filesystem>
#include <string>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo {

/// Another process, or another LockFile of this one, holds the lock.
class LockTaken : public IoError {
 public:
  using IoError::IoError;
};

/// An advisory lock on a separate file, which is created and removed with the lock. The system releases the lock when
/// the process ends, however that happens; a file left behind by a killed process does not block anyone.
class LockFile {
 public:
  /// Takes the lock without waiting. Throws LockTaken with the message `when_taken` if it is held elsewhere, or
  /// IoError if the file cannot be created. On file systems without locks, always succeeds.
  LockFile(std::filesystem::path path, const std::string& when_taken);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

}  // namespace octavo
