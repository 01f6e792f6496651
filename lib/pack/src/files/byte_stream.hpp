// Reading the bytes of a file by their offsets: of a plain file, of a gzip file, or of a file in an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace octavo::files {

/// The bytes of one file, as they are without compression. Streams that are not of random access are to be read from
/// front to back: going back starts again at the first byte. Use by one thread at a time, but for read_at() and
/// read_some_at() of a stream of random access.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  virtual bool is_random_access() const = 0;
  /// How many bytes there are, where that is known before reading them.
  virtual std::optional<std::int64_t> length() const = 0;
  /// The most bytes that there can be: nothing is to be allocated that would hold more.
  virtual std::int64_t most_bytes() const = 0;

  /// Fills `out` from `offset` as far as the stream goes; returns the bytes read. Throws FormatError if the stream is
  /// damaged, IoError if reading fails.
  virtual std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) = 0;

  /// Fills `out` from `offset`. Throws as read_some_at() does, and FormatError if the stream ends before that.
  void read_at(std::int64_t offset, std::span<std::byte> out);
  /// Throws FormatError unless the stream ends at `offset`, whole and with the right checksum.
  void expect_end(std::int64_t offset);
  /// All bytes; refuses more than `largest`. Throws FormatError, IoError.
  std::string read_whole(std::int64_t largest);

  /// In quotes, for messages: "a.gz", or "photos.tar: cats/1.jpg".
  const std::string& name() const { return name_; }

 protected:
  explicit ByteStream(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// A stream that comes from front to back: what such streams have in common.
class SequentialStream : public ByteStream {
 public:
  bool is_random_access() const final { return false; }
  std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) final;

 protected:
  using ByteStream::ByteStream;

 private:
  /// Goes back to the first byte.
  virtual void restart() = 0;
  /// Fills some of `out` with the next bytes; 0 only at the end.
  virtual std::size_t read_next(std::span<std::byte> out) = 0;

  std::size_t read_on(std::span<std::byte> out);
  std::int64_t position_ = 0;
};

/// Opens `path`, which is gzip if it begins as gzip does. Throws IoError.
std::unique_ptr<ByteStream> open_stream(const std::filesystem::path& path);

/// Whether the stream begins as gzip files do.
bool begins_as_gzip(ByteStream& stream);

/// A gzip file without its compression. It may have several members; every CRC is checked.
std::unique_ptr<ByteStream> inflate_gzip(std::unique_ptr<ByteStream> packed);

/// What the zlib stream (RFC 1950) holds that lies in bytes [offset, offset + length) of `packed`.
std::unique_ptr<ByteStream> inflate_part(std::unique_ptr<ByteStream> packed, std::int64_t offset, std::int64_t length);

/// Bytes in memory, of random access. `name` as ByteStream::name() has it.
std::unique_ptr<ByteStream> stream_in_memory(std::string name, std::string bytes);

}  // namespace octavo::files
