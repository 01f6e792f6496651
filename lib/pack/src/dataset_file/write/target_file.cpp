#include "dataset_file/write/target_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <octavo/errors.hpp>

namespace octavo::dataset_file {
namespace {

std::filesystem::path with_suffix(const std::filesystem::path& path, const char* suffix) {
  std::filesystem::path result = path;
  result += suffix;
  return result;
}

/// Whether anything has this name, even a dangling link.
bool is_taken(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

void remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_io_error("remove", path, errno);
}

/// Renames without replacing. If the file system cannot do that in one step, creates a second name first.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
}

}  // namespace

TargetFile::TargetFile(std::filesystem::path path, bool replace_existing)
    : path_(std::move(path)),
      partial_(with_suffix(path_, ".partial")),
      spool_(with_suffix(path_, ".partial.pixels")),
      replace_existing_(replace_existing) {
  check_is_no_url(path_);
  std::error_code ignored;
  if (path_.filename().empty() || std::filesystem::is_directory(path_, ignored)) {
    throw InvalidArgument("write " + quoted(path_) + ": it is a folder; name a file");
  }
  check_is_plain_or_free(path_);
  check_is_free();
  const std::filesystem::path folder = path_.parent_path();
  std::error_code unknown;  // shows again when writing to the folder
  if (!folder.empty() && std::filesystem::status(folder, unknown).type() == std::filesystem::file_type::not_found) {
    throw IoError("write " + quoted(path_) + ": the folder " + quoted(folder) +
                  " does not exist; create it or check the path");
  }
  const std::filesystem::path lock_path = with_suffix(path_, ".lock");
  lock_.emplace(lock_path, "write " + quoted(path_) + ": another writer is active (it holds " + quoted(lock_path) +
                               "); wait for it to finish");
  check_is_free();  // a writer that held the lock until now may have finished the file
  remove_leftovers();
}

TargetFile::~TargetFile() {
  ::unlink(partial_.c_str());
  ::unlink(spool_.c_str());
}

void TargetFile::check_is_free() const {
  if (replace_existing_ || !is_taken(path_)) return;
  throw InvalidArgument("write " + quoted(path_) +
                        ": the file exists; choose another name, or allow replacing it (`force`)");
}

void TargetFile::remove_leftovers() {
  remove_file(partial_);
  remove_file(spool_);
}

void TargetFile::hide() const {
  hide_successor(path_, partial_);
  hide_successor(path_, spool_);
}

void TargetFile::publish() {
  if (replace_existing_) keep_permissions(path_, partial_);
  const bool moved =
      replace_existing_ ? ::rename(partial_.c_str(), path_.c_str()) == 0 : rename_to_free_name(partial_, path_);
  if (!moved && errno == EEXIST) {
    throw IoError("write " + quoted(path_) + ": a file of this name has appeared in the meantime; choose another name");
  }
  if (!moved) throw_io_error("give its name to", path_, errno);
  sync_folder_of(path_);
}

}  // namespace octavo::dataset_file
