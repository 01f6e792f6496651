#include "support/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

FileDescriptor open_descriptor(const std::filesystem::path& path, int flags, std::string_view doing) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) throw_io_error(doing, path, errno);
  return FileDescriptor(descriptor);
}

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_io_error("read the size of", path, errno);
  return status;
}

[[noreturn]] void throw_cut_short(const std::filesystem::path& path, std::int64_t end) {
  throw IoError("read " + quoted(path) + ": the file ends at byte " + std::to_string(end) +
                ", before the end of the requested range; it was truncated");
}

/// " (12.3 MiB free)", or nothing if it is unknown.
std::string free_space_near(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path folder = path.parent_path();
  const auto space = std::filesystem::space(folder.empty() ? "." : folder, error);
  return error ? "" : " (" + format_bytes(static_cast<std::int64_t>(space.available)) + " free)";
}

/// The parts that one call reads; `parts` loses them.
std::span<iovec> next_parts(std::span<const std::span<std::byte>>& parts, std::span<iovec> memory) {
  const std::size_t count = std::min(parts.size(), memory.size());
  for (std::size_t i = 0; i < count; ++i) memory[i] = {parts[i].data(), parts[i].size()};
  parts = parts.subspan(count);
  return memory.first(count);
}

/// What is left of `parts` after reading `bytes` bytes.
std::span<iovec> without(std::span<iovec> parts, std::size_t bytes) {
  while (!parts.empty() && bytes >= parts.front().iov_len) {
    bytes -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (bytes == 0) return parts;
  parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + bytes;
  parts.front().iov_len -= bytes;
  return parts;
}

/// Parts per call, at most; Linux allows 1024.
constexpr std::size_t kMostParts = 1024;

/// For lchown(): the owner or the group stays.
constexpr auto kUnchanged = static_cast<uid_t>(-1);

/// The status of a regular file; nothing if there is none of this name.
std::optional<struct stat> status_of_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

/// The permissions with those of the group reduced to what everyone may.
mode_t for_another_group(mode_t permissions) {
  const mode_t everyone_may = (permissions & S_IRWXO) << 3;
  return (permissions & ~mode_t{S_IRWXG}) | (permissions & everyone_may);
}

/// Does nothing on file systems without permissions.
void set_permissions(const std::filesystem::path& path, mode_t permissions) {
  if (::chmod(path.c_str(), permissions) == 0 || errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) return;
  throw_io_error("set the permissions of", path, errno);
}

}  // namespace

File File::open_for_reading(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer must not block. It has no effect on regular files.
  FileDescriptor descriptor = open_descriptor(path, O_RDONLY | O_NONBLOCK, "open");
  if (!S_ISREG(status_of(descriptor.get(), path).st_mode)) {
    throw IoError("open " + quoted(path) + ": not a regular file; name a file");
  }
  return File(std::move(descriptor), path);
}

File File::create_new(const std::filesystem::path& path) {
  return File(open_descriptor(path, O_RDWR | O_CREAT | O_EXCL, "create"), path);
}

File File::create_unnamed(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return File(FileDescriptor(descriptor), folder / "(a temporary file)");
  // Some file systems (NFS, overlays of older kernels) do not support unnamed files.
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) throw_io_error("write to the folder", folder, errno);
  std::string name = (folder / ".octavo-XXXXXX").string();
  FileDescriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (!named) throw_io_error("write to the folder", folder, errno);
  ::unlink(name.c_str());
  return File(std::move(named), name);
}

File File::open_for_writing(const std::filesystem::path& path) {
  return File(open_descriptor(path, O_RDWR, "open"), path);
}

std::size_t File::read_some_at(std::int64_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        ::pread(descriptor(), out.data() + done, out.size() - done, offset + static_cast<std::int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_io_error("read", path_, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void File::read_at(std::int64_t offset, std::span<std::byte> out) const {
  const std::size_t done = read_some_at(offset, out);
  if (done != out.size()) throw_cut_short(path_, offset + static_cast<std::int64_t>(done));
}

void File::read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const {
  iovec memory[kMostParts];
  while (!parts.empty()) {
    std::span<iovec> wanted = next_parts(parts, memory);
    while (!wanted.empty()) {
      const ssize_t count = ::preadv(descriptor(), wanted.data(), static_cast<int>(wanted.size()), offset);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_io_error("read", path_, errno);
      if (count == 0) throw_cut_short(path_, offset);
      offset += count;
      wanted = without(wanted, static_cast<std::size_t>(count));
    }
  }
}

AtHand File::read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept {
  if (parts.size() > kMostParts) return AtHand::unknown;
  iovec memory[kMostParts];
  std::size_t wanted_bytes = 0;
  for (const std::span<std::byte> part : parts) wanted_bytes += part.size();
  const std::span<iovec> wanted = next_parts(parts, memory);
  const ssize_t count = ::preadv2(descriptor(), wanted.data(), static_cast<int>(wanted.size()), offset, RWF_NOWAIT);
  if (count == static_cast<ssize_t>(wanted_bytes)) return AtHand::yes;
  return count >= 0 || errno == EAGAIN ? AtHand::no : AtHand::unknown;
}

void File::start_read(std::int64_t offset, std::int64_t length) const noexcept {
  static_cast<void>(::posix_fadvise(descriptor(), offset, length, POSIX_FADV_WILLNEED));
}

void File::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor(), bytes.data(), std::min(bytes.size(), kWriteBlockBytes), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_io_error("write", path_, errno);
    if (count == 0) throw_io_error("write", path_, ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

void File::start_write_back(std::int64_t offset, std::int64_t length) const noexcept {
  ::sync_file_range(descriptor(), offset, length, SYNC_FILE_RANGE_WRITE);
}

void File::reserve(std::int64_t offset, std::int64_t length) const {
  if (length == 0) return;
  int error_number;
  do {
    error_number = ::posix_fallocate(descriptor(), offset, length);
  } while (error_number == EINTR);
  if (error_number != 0) throw_io_error("reserve " + format_bytes(length) + " for", path_, error_number);
}

std::int64_t File::length() const { return status_of(descriptor(), path_).st_size; }

std::string File::identity() const {
  const struct stat status = status_of(descriptor(), path_);
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

void File::sync() const {
  if (::fsync(descriptor()) != 0) throw_io_error("sync", path_, errno);
}

void check_is_no_url(const std::filesystem::path& path) {
  if (path.string().find("://") == std::string::npos) return;
  throw InvalidArgument(
      "write " + quoted(path) +
      ": a URL, but this writes to a local disk; in Python, octavo.pack and octavo.ShardedPack upload "
      "what they pack; or upload it afterwards");
}

void sync_folder_of(const std::filesystem::path& path) {
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const FileDescriptor descriptor = open_descriptor(folder, O_RDONLY | O_DIRECTORY, "open the folder");
  // Some file systems cannot sync a folder (EINVAL) and do not need to.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) throw_io_error("sync the folder", folder, errno);
}

void sync_file_system_of(const std::filesystem::path& folder) {
  const FileDescriptor descriptor = open_descriptor(folder, O_RDONLY | O_DIRECTORY, "open the folder");
  if (::syncfs(descriptor.get()) != 0) throw_io_error("sync the folder", folder, errno);
}

void keep_permissions(const std::filesystem::path& path, const std::filesystem::path& successor) {
  const auto old = status_of_file(path), added = status_of_file(successor);
  if (!old || !added) return;
  const bool keeps_group = old->st_gid == added->st_gid || ::lchown(successor.c_str(), kUnchanged, old->st_gid) == 0;
  const mode_t permissions = old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  set_permissions(successor, keeps_group ? permissions : for_another_group(permissions));
  // Only the superuser may give a file away; else its owner becomes the one who replaces it. Last, because only the
  // owner may do the rest.
  if (old->st_uid != added->st_uid) static_cast<void>(::lchown(successor.c_str(), old->st_uid, kUnchanged) == 0);
}

void hide_successor(const std::filesystem::path& path, const std::filesystem::path& successor) {
  if (status_of_file(path) && status_of_file(successor)) set_permissions(successor, S_IRUSR | S_IWUSR);
}

std::string read_whole_file(const std::filesystem::path& path, std::int64_t most_bytes) {
  const File file = File::open_for_reading(path);
  const std::int64_t length = file.length();
  if (length > most_bytes) {
    throw IoError("read " + quoted(path) + ": the file has " + std::to_string(length) + " bytes; expected at most " +
                  std::to_string(most_bytes));
  }
  std::string bytes(static_cast<std::size_t>(length), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string quoted(const std::filesystem::path& path) { return quoted(path.string()); }
std::string quoted(const std::string& name) { return '"' + printable(name) + '"'; }

void check_is_plain_or_free(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  if (type == std::filesystem::file_type::symlink) {
    throw InvalidArgument("write " + quoted(path) + ": it is a link; name the file itself");
  }
  if (std::filesystem::exists(std::filesystem::file_status(type)) && type != std::filesystem::file_type::regular) {
    throw InvalidArgument("write " + quoted(path) + ": it is not a regular file; choose another name");
  }
}

void throw_io_error(std::string_view doing, const std::filesystem::path& path, int error_number) {
  std::string message = std::string(doing) + " " + quoted(path) + ": " + std::generic_category().message(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) {
    message += free_space_near(path) + "; free some space or choose another folder";
  }
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS) message += "; check its permissions";
  if (error_number == ENOENT) message += "; check the path";
  throw IoError(message, error_number);
}

}  // namespace octavo
