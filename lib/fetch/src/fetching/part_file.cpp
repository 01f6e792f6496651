#include "fetching/part_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <octavo/errors.hpp>

namespace octavo::fetching {
namespace {

File open_or_create(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) return File::create_new(path);
  if (type == std::filesystem::file_type::regular) return File::open_for_writing(path);
  throw IoError("write " + quoted(path) + ": not a regular file; remove it, or choose another folder");
}

void resize(const File& file, std::int64_t length) {
  int result;
  do {
    result = ::ftruncate(file.descriptor(), length);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_io_error("cut", file.path(), errno);
}

/// Reserves disk space. Does not change the length, which records how much was received.
void reserve(const File& file, std::int64_t total_bytes) {
  int result;
  do {
    result = ::fallocate(file.descriptor(), FALLOC_FL_KEEP_SIZE, 0, total_bytes);
  } while (result != 0 && errno == EINTR);
  // Not every file system supports this. A file size limit (EFBIG) is reported when a write reaches it.
  if (result == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EFBIG) return;
  throw_io_error("reserve " + std::to_string(total_bytes) + " bytes for", file.path(), errno);
}

}  // namespace

PartFile::PartFile(const std::filesystem::path& path, std::int64_t total_bytes) : path_(path), part_path_(path) {
  part_path_ += ".part";
  file_ = open_or_create(part_path_);
  try {
    if (length() > total_bytes) clear();
    reserve(file_, total_bytes);
  } catch (...) {
    remove_if_empty();
    throw;
  }
}

PartFile::~PartFile() {
  if (!is_published_) remove_if_empty();
}

void PartFile::remove_if_empty() noexcept {
  if (::lseek(file_.descriptor(), 0, SEEK_END) == 0) ::unlink(part_path_.c_str());
}

void PartFile::clear() { resize(file_, 0); }

void PartFile::publish() {
  file_.sync();
  keep_permissions(path_, part_path_);
  if (::rename(part_path_.c_str(), path_.c_str()) != 0) throw_io_error("give its name to", path_, errno);
  is_published_ = true;
  sync_folder_of(path_);
}

}  // namespace octavo::fetching
