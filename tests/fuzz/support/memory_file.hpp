// A file in memory with a path, for parsers that open files themselves.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fuzz_target.hpp"

namespace octavo::fuzz {

/// A file that is overwritten for each input. Its path is valid only in this process.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(Bytes bytes) const {
    const auto length = static_cast<ssize_t>(bytes.size());
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) != length)
      std::abort();
  }
  std::filesystem::path folder() const { return "/proc/self/fd"; }
  std::string name() const { return std::to_string(descriptor_); }
  std::filesystem::path path() const { return folder() / name(); }

 private:
  int descriptor_;
};

}  // namespace octavo::fuzz
