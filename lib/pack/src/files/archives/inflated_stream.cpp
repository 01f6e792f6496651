// Inflating streams on the fly: gzip files, and zlib streams in other files.

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include <octavo/errors.hpp>

#include "files/byte_stream.hpp"

namespace octavo::files {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
// RFC 1951: two bits can stand for at most 258 bytes.
constexpr std::int64_t kDeflateLimit = 1032;

// The largest window; adding 16 selects gzip framing only.
constexpr int kZlibWindow = 15;
constexpr int kGzipWindow = 15 + 16;

/// A gzip file may have several consecutive members; a zlib stream has one.
class InflatedStream final : public SequentialStream {
 public:
  InflatedStream(std::string name, std::unique_ptr<ByteStream> packed, std::int64_t offset, std::int64_t length,
                 int window)
      : SequentialStream(std::move(name)),
        packed_(std::move(packed)),
        offset_(offset),
        length_(length),
        has_members_(window == kGzipWindow) {
    input_.resize(kInputBytes);
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
  }
  ~InflatedStream() override { inflateEnd(&stream_); }

  std::optional<std::int64_t> length() const override { return std::nullopt; }
  std::int64_t most_bytes() const override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return length_ > kMost / kDeflateLimit ? kMost : length_ * kDeflateLimit;
  }

 private:
  void restart() override {
    inflateReset(&stream_);
    stream_.avail_in = 0;
    used_ = 0;
    is_at_end_ = false;
  }

  std::size_t read_next(std::span<std::byte> out) override {
    // zlib counts in 32 bits.
    out = out.first(std::min<std::size_t>(out.size(), std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0 && has_more()) step();
    return out.size() - stream_.avail_out;
  }

  /// Whether there is more to inflate; refills the input. Throws FormatError if the stream is truncated.
  bool has_more() {
    if (is_at_end_ && !has_members_) return false;
    if (stream_.avail_in > 0) return true;
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(kInputBytes, length_ - used_));
    const std::size_t count = packed_->read_some_at(offset_ + used_, std::span(input_).first(wanted));
    used_ += static_cast<std::int64_t>(count);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
    if (count == 0 && !is_at_end_) {
      throw FormatError("read " + name() + ": its compressed data are cut short; get the file again");
    }
    return count > 0;
  }

  void step() {
    if (is_at_end_) inflateReset(&stream_);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      const std::string reason = stream_.msg != nullptr ? stream_.msg : "it needs a dictionary";
      throw FormatError("read " + name() + ": its compressed data are damaged (" + reason + "); get the file again");
    }
    is_at_end_ = status == Z_STREAM_END;
  }

  const std::unique_ptr<ByteStream> packed_;
  const std::int64_t offset_, length_;
  const bool has_members_;
  std::int64_t used_ = 0;
  std::vector<std::byte> input_;
  z_stream stream_ = {};
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> inflate_gzip(std::unique_ptr<ByteStream> packed) {
  const std::int64_t length = packed->most_bytes();
  const std::string name = packed->name();
  return std::make_unique<InflatedStream>(name, std::move(packed), 0, length, kGzipWindow);
}

std::unique_ptr<ByteStream> inflate_part(std::unique_ptr<ByteStream> packed, std::int64_t offset, std::int64_t length) {
  const std::string name = packed->name();
  return std::make_unique<InflatedStream>(name, std::move(packed), offset, length, kZlibWindow);
}

}  // namespace octavo::files
