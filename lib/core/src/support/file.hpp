// Files by descriptor: whole reads and writes at an offset, every failure an IoError that names the file.
#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "support/unique_handle.hpp"

namespace octavo {

using FileDescriptor = UniqueHandle<int, -1, &::close>;

/// write() calls of 4 MiB and more were measured several times slower than these (large-folio allocation).
inline constexpr std::size_t kWriteBlockBytes = std::size_t{1} << 20;

/// What came of reading from the page cache.
enum class CachedRead {
  done,        ///< everything was there
  not_cached,  ///< not everything
  unknown,     ///< this file system does not tell
};

/// An open file and its name for messages.
class File {
 public:
  File() = default;
  /// Opens for reading. Throws IoError; a folder, a device or a pipe is refused.
  static File open_for_reading(const std::filesystem::path& path);
  /// Creates, for reading and writing; the name must be free. Throws IoError.
  static File create_new(const std::filesystem::path& path);
  /// Creates a file without a name in `folder`, for reading and writing; it is gone when it is closed, or the process
  /// ends. Throws IoError.
  static File create_unnamed(const std::filesystem::path& folder);
  /// Opens an existing file for reading and writing. Throws IoError.
  static File open_for_writing(const std::filesystem::path& path);

  /// Fills `out` from `offset`. Throws IoError, also if the file ends before that.
  void read_at(std::int64_t offset, std::span<std::byte> out) const;
  /// Fills `out` from `offset` as far as the file goes; returns the bytes read.
  std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) const;
  /// Fills the parts, one after another, from `offset`; they are used up. Throws IoError as read_at() does.
  void read_parts_at(std::int64_t offset, std::span<iovec> parts) const;
  /// The same as far as the page cache has it; what the parts hold is of no use unless all of it was there.
  CachedRead read_cached_parts_at(std::int64_t offset, std::span<const iovec> parts) const noexcept;
  /// Lets the disk begin to read [offset, offset + length). Only advice.
  void start_read(std::int64_t offset, std::int64_t length) const noexcept;
  /// Writes all of `bytes` at `offset`, in blocks of at most kWriteBlockBytes. Throws IoError.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  /// Lets the disk begin with what was written to [offset, offset + length), so that less is left to sync at the end.
  /// Only advice.
  void start_write_back(std::int64_t offset, std::int64_t length) const noexcept;
  /// Takes disk space for [offset, offset + length), so that a full disk shows now. Throws IoError.
  void reserve(std::int64_t offset, std::int64_t length) const;
  /// Bytes of the file. Throws IoError.
  std::int64_t length() const;
  /// When the file was last changed, in nanoseconds; to notice a change while it is read.
  std::int64_t modified_ns() const;
  /// Forces the contents to disk. Throws IoError.
  void sync() const;

  int descriptor() const { return descriptor_.get(); }
  const std::filesystem::path& path() const { return path_; }
  void close() { descriptor_.reset(); }
  explicit operator bool() const { return static_cast<bool>(descriptor_); }

 private:
  File(FileDescriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
  FileDescriptor descriptor_;
  std::filesystem::path path_;
};

/// Forces the folder that holds `path` to disk, so that a rename in it lasts. Throws IoError.
void sync_folder_of(const std::filesystem::path& path);

/// Forces to disk all that was written to the file system that holds `folder`: many small files at once. Throws
/// IoError.
void sync_file_system_of(const std::filesystem::path& folder);

/// Throws InvalidArgument if `path` is a link, a device or a pipe: a rename onto it would replace it, which nobody
/// means.
void check_is_plain_or_free(const std::filesystem::path& path);

/// The whole file; refuses more than `most_bytes`. Throws IoError.
std::string read_whole_file(const std::filesystem::path& path, std::int64_t most_bytes);

/// `path` in double quotes, for messages; control characters are shown as '?', so that a message stays one line.
std::string quoted(const std::filesystem::path& path);

/// Throws IoError: `doing` "path": the reason of `error_number`; what to do, where that is known (a full disk).
[[noreturn]] void throw_io_error(std::string_view doing, const std::filesystem::path& path, int error_number);

}  // namespace octavo
