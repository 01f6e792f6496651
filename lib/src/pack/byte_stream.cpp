#include "pack/byte_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

namespace octavo::sources {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::size_t kSkipBytes = std::size_t{64} << 10;
// RFC 1951: 258 bytes are the most that two bits can stand for.
constexpr std::int64_t kDeflateLimit = 1032;

bool begins_as_gzip(const File& file) {
  std::byte magic[2];
  return file.read_some_at(0, magic) == 2 && magic[0] == std::byte{0x1F} && magic[1] == std::byte{0x8B};
}

}  // namespace

/// The gzip members of a file, one after another.
class ByteStream::Inflater {
 public:
  explicit Inflater(const File& file) : file_(file), input_(kInputBytes) {
    // 15 + 16: the largest window, and gzip framing only.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::size_t read_some(std::span<std::byte> out) {
    // zlib counts in 32 bits.
    out = out.first(std::min<std::size_t>(out.size(), std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0 && has_input()) step();
    return out.size() - stream_.avail_out;
  }

 private:
  /// Whether there is something to inflate; refills the input. A file that ends inside a member is refused.
  bool has_input() {
    if (stream_.avail_in > 0) return true;
    const std::size_t count = file_.read_some_at(offset_, input_);
    offset_ += static_cast<std::int64_t>(count);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
    if (count == 0 && !between_members_) {
      throw FormatError("read " + quoted(file_.path()) + ": the gzip stream is cut short; get the file again");
    }
    return count > 0;
  }

  void step() {
    if (between_members_) inflateReset(&stream_);
    between_members_ = false;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const std::string reason = stream_.msg != nullptr ? stream_.msg : "it needs a dictionary";
      throw FormatError("read " + quoted(file_.path()) + ": the gzip data are damaged (" + reason +
                        "); get the file again");
    }
  }

  const File& file_;
  std::vector<std::byte> input_;
  std::int64_t offset_ = 0;
  z_stream stream_ = {};
  bool between_members_ = false;
};

ByteStream::ByteStream(const std::filesystem::path& path)
    : file_(File::open_for_reading(path)), is_compressed_(begins_as_gzip(file_)) {
  rewind();
}
ByteStream::~ByteStream() = default;

void ByteStream::rewind() {
  if (is_compressed_) inflater_ = std::make_unique<Inflater>(file_);
  position_ = 0;
}

std::size_t ByteStream::read_some(std::span<std::byte> out) {
  std::size_t done = 0;
  if (!is_compressed()) {
    done = file_.read_some_at(position_, out);
  } else {
    while (done < out.size()) {
      const std::size_t count = inflater_->read_some(out.subspan(done));
      if (count == 0) break;
      done += count;
    }
  }
  position_ += static_cast<std::int64_t>(done);
  return done;
}

void ByteStream::read(std::span<std::byte> out) {
  const std::int64_t wanted = position_ + static_cast<std::int64_t>(out.size());
  if (read_some(out) != out.size()) {
    throw FormatError("read " + quoted(path()) + ": it ends after " + std::to_string(position_) + " bytes, at least " +
                      std::to_string(wanted) + " were expected; get the file again");
  }
}

void ByteStream::skip(std::int64_t count) {
  std::vector<std::byte> passed(kSkipBytes);
  while (count > 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::int64_t>(count, kSkipBytes));
    read(std::span(passed).first(piece));
    count -= static_cast<std::int64_t>(piece);
  }
}

void ByteStream::expect_end() {
  std::byte extra[1];
  const std::int64_t end = position_;
  if (read_some(extra) != 0) {
    throw FormatError("read " + quoted(path()) + ": there are more bytes after byte " + std::to_string(end) +
                      ", where its header says that it ends");
  }
}

std::int64_t ByteStream::most_bytes() const {
  const std::int64_t length = file_.length();
  if (!is_compressed()) return length;
  if (length > std::numeric_limits<std::int64_t>::max() / kDeflateLimit)
    return std::numeric_limits<std::int64_t>::max();
  return length * kDeflateLimit;
}

}  // namespace octavo::sources
