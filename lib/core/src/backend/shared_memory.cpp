#include "backend/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

#include <octavo/errors.hpp>

#include "backend/host_memory.hpp"
#include "support/hash.hpp"

namespace octavo::backend {
namespace {

[[noreturn]] void refuse(const std::string& what, std::size_t bytes, const std::string& why) {
  throw OutOfMemory("share " + std::to_string(bytes) + " bytes of host memory for " + what + ": " + why);
}

}  // namespace

std::uint64_t sharing_hash() {
  std::string identity;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
  char name_space[64] = {};
  const ssize_t length = ::readlink("/proc/self/ns/pid", name_space, sizeof(name_space) - 1);
  identity += "/" + std::string(name_space, length > 0 ? static_cast<std::size_t>(length) : 0) + "/" +
              std::to_string(::getuid());
  return hash_bytes(std::as_bytes(std::span(identity)));
}

SharedMemory SharedMemory::create(std::size_t bytes, std::string_view what) {
  const std::string purpose(what);
  if (static_cast<std::int64_t>(bytes) > host_memory().free_bytes) {
    refuse(purpose, bytes, "only " + std::to_string(host_memory().free_bytes) + " bytes are free");
  }
  FileDescriptor file(::memfd_create("octavo", MFD_CLOEXEC));
  // Without memory behind it, the first use of a page could end the process.
  if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(mapped_bytes(bytes))) != 0 ||
      ::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) != 0) {
    refuse(purpose, bytes, std::strerror(errno));
  }
  return {std::move(file), bytes, what};
}

SharedMemory SharedMemory::open(pid_t process, int descriptor, std::size_t bytes, std::string_view what) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) refuse(std::string(what), bytes, std::strerror(errno));
  if (static_cast<std::size_t>(status.st_size) != mapped_bytes(bytes)) {
    refuse(std::string(what), bytes, "another rank shares memory of another size");
  }
  return {std::move(file), bytes, what};
}

DeviceBuffer SharedMemory::map(const std::shared_ptr<Backend>& backend) const {
  void* const mapped = ::mmap(nullptr, mapped_bytes(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED) refuse(what_, bytes_, std::strerror(errno));
  return DeviceBuffer::of_mapped(backend, mapped, bytes_);
}

}  // namespace octavo::backend
