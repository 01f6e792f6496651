// Reading the bytes of a plain file, a gzip file or a file in an archive by offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace octavo::files {

/// The uncompressed bytes of one file. Read streams without random access from front to back: going back starts again
/// at the first byte. Not thread-safe, except read_at() and read_some_at() of a stream with random access.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  virtual bool is_random_access() const = 0;
  /// The number of bytes, if it is known before reading them.
  virtual std::optional<std::int64_t> length() const = 0;
  /// An upper bound on the number of bytes; callers must not allocate more than this.
  virtual std::int64_t most_bytes() const = 0;

  /// Fills `out` from `offset`, up to the end of the stream; returns the number of bytes read. Throws FormatError if
  /// the stream is damaged, IoError if reading fails.
  virtual std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) = 0;

  /// Fills all of `out` from `offset`. Throws what read_some_at() throws, and FormatError if the stream ends too early.
  void read_at(std::int64_t offset, std::span<std::byte> out);
  /// Throws FormatError unless the stream ends at `offset`, complete and with the right checksum.
  void expect_end(std::int64_t offset);
  /// All bytes. Throws FormatError, also if there are more than `largest` bytes; IoError.
  std::string read_whole(std::int64_t largest);

  /// The quoted name, for messages: "a.gz", or "photos.tar: cats/1.jpg".
  const std::string& name() const { return name_; }

 protected:
  explicit ByteStream(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// The common base of sequential streams.
class SequentialStream : public ByteStream {
 public:
  bool is_random_access() const final { return false; }
  std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) final;

 protected:
  using ByteStream::ByteStream;

 private:
  /// Restarts at the first byte.
  virtual void restart() = 0;
  /// Fills some of `out` with the next bytes; 0 only at the end.
  virtual std::size_t read_next(std::span<std::byte> out) = 0;

  std::size_t read_on(std::span<std::byte> out);
  std::int64_t position_ = 0;
};

/// Opens `path` and inflates it if it has the gzip signature. Throws IoError.
std::unique_ptr<ByteStream> open_stream(const std::filesystem::path& path);

/// Whether the stream has the gzip signature.
bool begins_as_gzip(ByteStream& stream);

/// The inflated contents of a gzip file. The file may have several members; every CRC is checked.
std::unique_ptr<ByteStream> inflate_gzip(std::unique_ptr<ByteStream> packed);

/// The inflated contents of the zlib stream (RFC 1950) in bytes [offset, offset + length) of `packed`.
std::unique_ptr<ByteStream> inflate_part(std::unique_ptr<ByteStream> packed, std::int64_t offset, std::int64_t length);

/// Bytes in memory, with random access. `name` is what ByteStream::name() returns.
std::unique_ptr<ByteStream> stream_in_memory(std::string name, std::string bytes);

}  // namespace octavo::files
