// Reading a file from front to back, inflated on the way if it is gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "support/file.hpp"

namespace octavo::sources {

/// The bytes of a plain or gzip file, in order. Gzip files may have several members; every CRC is checked. Not safe for
/// use by several threads at once.
class ByteStream {
 public:
  /// Opens `path`, which is gzip if it begins as gzip does. Throws IoError.
  explicit ByteStream(const std::filesystem::path& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Fills `out`. Throws FormatError if the stream is damaged or ends before that, IoError if reading fails.
  void read(std::span<std::byte> out);
  /// Fills `out` as far as the stream goes; returns the bytes read.
  std::size_t read_some(std::span<std::byte> out);
  /// Passes over `count` bytes. Throws as read() does.
  void skip(std::int64_t count);
  /// Throws FormatError unless the stream ends here, whole and with the right CRC.
  void expect_end();
  /// Starts again at the first byte.
  void rewind();

  /// Found out once; may be asked while another thread reads.
  bool is_compressed() const { return is_compressed_; }
  /// Bytes read so far, after inflating.
  std::int64_t position() const { return position_; }
  /// The most bytes that the stream can have: the file's length, times 1,032 (the limit of deflate) if compressed.
  std::int64_t most_bytes() const;
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  class Inflater;
  File file_;
  const bool is_compressed_;
  std::unique_ptr<Inflater> inflater_;  ///< only if is_compressed_
  std::int64_t position_ = 0;
};

}  // namespace octavo::sources
