// Host memory that several processes of a machine share.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "backend/backend.hpp"
#include "support/file.hpp"

namespace octavo::backend {

/// Equal for processes that can share memory: those of one user, machine and process namespace.
std::uint64_t sharing_hash();

/// Memory without a name: the system frees it when the last process that mapped it ends, however it ends.
class SharedMemory {
 public:
  /// Allocates `bytes` of zeros, all of them now, so that using them cannot fail later. Throws OutOfMemory.
  static SharedMemory create(std::size_t bytes, std::string_view what);
  /// Opens the memory that another process created, while that holds its descriptor. Throws OutOfMemory.
  static SharedMemory open(pid_t process, int descriptor, std::size_t bytes, std::string_view what);

  int descriptor() const { return file_.get(); }
  /// The memory as that of `backend`, which is the CPU. It outlives this object. Throws OutOfMemory.
  DeviceBuffer map(const std::shared_ptr<Backend>& backend) const;

 private:
  SharedMemory(FileDescriptor file, std::size_t bytes, std::string_view what)
      : file_(std::move(file)), bytes_(bytes), what_(what) {}

  FileDescriptor file_;
  std::size_t bytes_;
  std::string what_;
};

}  // namespace octavo::backend
