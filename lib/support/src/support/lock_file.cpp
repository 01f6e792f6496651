#include "support/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo {
namespace {

/// Whether `descriptor` is still the file at that path: the last owner of a lock removes the file.
bool is_current(int descriptor, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/// Some network file systems have no locks. There the caller must prevent concurrent writers.
bool has_no_locks(int error_number) {
  return error_number == ENOLCK || error_number == ENOSYS || error_number == EOPNOTSUPP;
}

/// Users do not know of lock files: if the folder is why, the message names it.
[[noreturn]] void fail_to_create(const std::filesystem::path& path, int error_number) {
  const bool is_of_folder = error_number == EACCES || error_number == EPERM || error_number == EROFS;
  if (!is_of_folder || ::access(path.c_str(), F_OK) == 0) throw_io_error("create", path, error_number);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  throw IoError("write to the folder " + quoted(folder) + ": " + std::generic_category().message(error_number) +
                    "; check its permissions, or choose another folder",
                error_number);
}

}  // namespace

LockFile::LockFile(std::filesystem::path path, const std::string& when_taken) : path_(std::move(path)) {
  while (true) {
    FileDescriptor descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!descriptor) fail_to_create(path_, errno);
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 && !has_no_locks(errno)) {
      if (errno != EWOULDBLOCK) throw_io_error("lock", path_, errno);
      throw LockTaken(when_taken);
    }
    if (!is_current(descriptor.get(), path_)) continue;
    descriptor_ = std::move(descriptor);
    return;
  }
}

LockFile::~LockFile() { ::unlink(path_.c_str()); }

}  // namespace octavo
