// Files by descriptor: complete reads and writes at an offset. Every failure is an IoError that names the file.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <octavo/byte_source.hpp>

#include "support/unique_handle.hpp"

namespace octavo {

using FileDescriptor = UniqueHandle<int, -1, &::close>;

/// write() calls of 4 MiB and more were measured to be several times slower (large-folio allocation).
inline constexpr std::size_t kWriteBlockBytes = std::size_t{1} << 20;

/// An open file, with its name for messages. As a source of bytes, what is in the page cache is at hand.
class File final : public ByteSource {
 public:
  File() = default;
  File(File&&) = default;
  File& operator=(File&&) = default;
  /// Opens a regular file for reading. Throws IoError, also for a folder, a device or a pipe.
  static File open_for_reading(const std::filesystem::path& path);
  /// Creates a file for reading and writing. Throws IoError, also if the name exists.
  static File create_new(const std::filesystem::path& path);
  /// Creates an unnamed file in `folder` for reading and writing. It disappears when it is closed or the process ends.
  /// Throws IoError.
  static File create_unnamed(const std::filesystem::path& folder);
  /// Opens an existing file for reading and writing. Throws IoError.
  static File open_for_writing(const std::filesystem::path& path);
  /// Takes over the descriptor of a regular file; `path` is its name for messages.
  static File owning(FileDescriptor descriptor, std::filesystem::path path) {
    return {std::move(descriptor), std::move(path)};
  }

  /// Fills `out` from `offset`. Throws IoError, also if the file ends before that.
  void read_at(std::int64_t offset, std::span<std::byte> out) const override;
  /// Fills `out` from `offset` up to the end of the file. Returns the number of bytes read.
  std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) const;
  void read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const override;
  AtHand read_parts_at_hand(std::int64_t offset, std::span<const std::span<std::byte>> parts) const noexcept override;
  void start_read(std::int64_t offset, std::int64_t length) const noexcept override;
  /// Writes all of `bytes` at `offset`, in blocks of at most kWriteBlockBytes. Throws IoError.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  /// Starts writing [offset, offset + length) to disk, so that less is left for the final sync. Only a hint.
  void start_write_back(std::int64_t offset, std::int64_t length) const noexcept;
  /// Allocates disk space for [offset, offset + length), so that a full disk fails now. Throws IoError.
  void reserve(std::int64_t offset, std::int64_t length) const;
  /// Size of the file in bytes. Throws IoError.
  std::int64_t length() const override;
  /// The length and the modification time in nanoseconds.
  std::string identity() const override;
  std::string name() const override { return path_.string(); }
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

/// Throws InvalidArgument if `path`, to which a file or a folder is written, is a URL.
void check_is_no_url(const std::filesystem::path& path);

/// Syncs the folder of `path` to disk, so that a rename in it is durable. Throws IoError.
void sync_folder_of(const std::filesystem::path& path);

/// Syncs the whole file system of `folder` to disk: faster than many small files one by one. Throws IoError.
void sync_file_system_of(const std::filesystem::path& folder);

/// Throws InvalidArgument if `path` is a link, a device or a pipe, because a rename would replace it.
void check_is_plain_or_free(const std::filesystem::path& path);

/// Gives the file `successor` the permissions of `path`, and its owner and group where this process may, before a
/// rename replaces `path` by it. If the group must change, the new group may do what everyone may. Nothing happens if
/// `path` does not exist. Throws IoError.
void keep_permissions(const std::filesystem::path& path, const std::filesystem::path& successor);

/// Lets only its owner read and write the file `successor` until keep_permissions() is called: what replaces a private
/// file must not be readable while it is written. Nothing happens if `path` does not exist. Throws IoError.
void hide_successor(const std::filesystem::path& path, const std::filesystem::path& successor);

/// Reads the whole file. Throws IoError, also if it has more than `most_bytes`.
std::string read_whole_file(const std::filesystem::path& path, std::int64_t most_bytes);

/// Returns `path` in double quotes for messages, printable (octavo/text.hpp): on one line, and in UTF-8.
std::string quoted(const std::filesystem::path& path);
/// The same for the name of a source of bytes. Without this overload, std::quoted() would be a better match.
std::string quoted(const std::string& name);

/// Throws IoError: `doing` "path": the text for `error_number`; what to do, if that is known (such as for a full disk).
[[noreturn]] void throw_io_error(std::string_view doing, const std::filesystem::path& path, int error_number);

}  // namespace octavo
