#include "files/byte_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <octavo/errors.hpp>

#include "support/file.hpp"

namespace octavo::files {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(File file) : ByteStream(quoted(file.path())), file_(std::move(file)) {}

  bool is_random_access() const override { return true; }
  std::optional<std::int64_t> length() const override { return file_.length(); }
  std::int64_t most_bytes() const override { return file_.length(); }
  std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) override {
    return file_.read_some_at(offset, out);
  }

 private:
  const File file_;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string name, std::string bytes) : ByteStream(std::move(name)), bytes_(std::move(bytes)) {}

  bool is_random_access() const override { return true; }
  std::optional<std::int64_t> length() const override { return std::ssize(bytes_); }
  std::int64_t most_bytes() const override { return std::ssize(bytes_); }
  std::size_t read_some_at(std::int64_t offset, std::span<std::byte> out) override {
    if (offset >= std::ssize(bytes_)) return 0;
    const auto from = static_cast<std::size_t>(offset);
    const std::size_t count = std::min(out.size(), bytes_.size() - from);
    std::memcpy(out.data(), bytes_.data() + from, count);
    return count;
  }

 private:
  const std::string bytes_;
};

}  // namespace

bool begins_as_gzip(ByteStream& stream) {
  std::array<std::byte, 2> magic;
  return stream.read_some_at(0, magic) == 2 && magic[0] == std::byte{0x1F} && magic[1] == std::byte{0x8B};
}

void ByteStream::read_at(std::int64_t offset, std::span<std::byte> out) {
  const std::size_t count = read_some_at(offset, out);
  if (count == out.size()) return;
  throw FormatError("read " + name_ + ": it ends after " + std::to_string(offset + static_cast<std::int64_t>(count)) +
                    " bytes; expected at least " + std::to_string(offset + static_cast<std::int64_t>(out.size())) +
                    "; get the file again");
}

void ByteStream::expect_end(std::int64_t offset) {
  std::array<std::byte, 1> extra;
  if (read_some_at(offset, extra) == 0) return;
  throw FormatError("read " + name_ + ": there are more bytes after byte " + std::to_string(offset) +
                    ", where its header says that it ends");
}

std::string ByteStream::read_whole(std::int64_t largest) {
  std::string bytes;
  for (std::size_t count = kReadBytes; count == kReadBytes;) {
    const std::size_t done = bytes.size();
    bytes.resize(done + kReadBytes);
    count = read_some_at(static_cast<std::int64_t>(done), std::as_writable_bytes(std::span(bytes).subspan(done)));
    bytes.resize(done + count);
    if (std::ssize(bytes) > largest) {
      throw FormatError("read " + name_ + ": it is larger than " + std::to_string(largest) +
                        " bytes, the limit for such files");
    }
  }
  return bytes;
}

std::size_t SequentialStream::read_on(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t count = read_next(out.subspan(done));
    if (count == 0) break;
    done += count;
  }
  position_ += static_cast<std::int64_t>(done);
  return done;
}

std::size_t SequentialStream::read_some_at(std::int64_t offset, std::span<std::byte> out) {
  if (offset < position_) {
    restart();
    position_ = 0;
  }
  std::vector<std::byte> passed(offset > position_ ? kReadBytes : 0);
  while (position_ < offset) {
    const auto piece = static_cast<std::size_t>(std::min<std::int64_t>(offset - position_, kReadBytes));
    if (read_on(std::span(passed).first(piece)) == 0) return 0;
  }
  return read_on(out);
}

std::unique_ptr<ByteStream> open_stream(const std::filesystem::path& path) {
  auto plain = std::make_unique<PlainStream>(File::open_for_reading(path));
  if (begins_as_gzip(*plain)) return inflate_gzip(std::move(plain));
  return plain;
}

std::unique_ptr<ByteStream> stream_in_memory(std::string name, std::string bytes) {
  return std::make_unique<MemoryStream>(std::move(name), std::move(bytes));
}

}  // namespace octavo::files
