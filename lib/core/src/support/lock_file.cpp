#include "support/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <octavo/errors.hpp>

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

}  // namespace

LockFile::LockFile(std::filesystem::path path, const std::string& when_taken) : path_(std::move(path)) {
  while (true) {
    FileDescriptor descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!descriptor) throw_io_error("create", path_, errno);
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 && !has_no_locks(errno)) {
      if (errno != EWOULDBLOCK) throw_io_error("lock", path_, errno);
      throw IoError(when_taken);
    }
    if (!is_current(descriptor.get(), path_)) continue;
    descriptor_ = std::move(descriptor);
    return;
  }
}

LockFile::~LockFile() { ::unlink(path_.c_str()); }

}  // namespace octavo
