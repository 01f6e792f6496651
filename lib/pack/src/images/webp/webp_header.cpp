#include "images/webp/webp_header.hpp"

#include <cstring>
#include <optional>

#include <octavo/errors.hpp>

#include "images/byte_view.hpp"
#include "images/exif_orientation.hpp"
#include "images/image_codec.hpp"
#include "images/webp/webp_decoder.hpp"
#include "images/xmp_orientation.hpp"

namespace octavo::images {
namespace {

// "RIFF", length, "WEBP"; then chunks: four letters, length, bytes, and one more to an even length.
constexpr std::int64_t kFirstChunkAt = 12, kChunkHeaderBytes = 8;
// The longest prefix needed to read the size: a lossy frame's tag, start code, width and height.
constexpr std::int64_t kStartBytes = kFirstChunkAt + kChunkHeaderBytes + 10;
constexpr int kIsAnimated = 0x02, kHasXmp = 0x04, kHasExif = 0x08;
// More chunks than any animation has, and more metadata than any camera writes.
constexpr int kMostChunks = 100'000;
constexpr std::int64_t kLargestMetadata = std::int64_t{1} << 20;
// Before a frame's chunks: its position and size, each number in three bytes, its duration, flags.
constexpr std::size_t kFrameHeaderBytes = 16;

bool is_chunk(const ByteView& bytes, std::size_t at, const char* name) {
  return std::memcmp(bytes.part(at, 4).data(), name, 4) == 0;
}

/// Reads the size from the first chunk: canvas (VP8X), lossless (VP8L) or lossy image (VP8).
ImageHeader read_size(const ByteView& bytes) {
  ImageHeader header;
  header.channels = 3;
  const std::size_t chunk = kFirstChunkAt, at = chunk + kChunkHeaderBytes;
  if (is_chunk(bytes, chunk, "VP8X")) {
    header.width = std::int64_t{bytes.u24(at + 4)} + 1;
    header.height = std::int64_t{bytes.u24(at + 7)} + 1;
  } else if (is_chunk(bytes, chunk, "VP8L") && bytes.u8(at) == 0x2F) {
    const std::uint32_t sides = bytes.u32(at + 1);
    header.width = (sides & 0x3FFF) + 1;
    header.height = (sides >> 14 & 0x3FFF) + 1;
  } else if (is_chunk(bytes, chunk, "VP8 ") && bytes.u24(at + 3) == 0x2A019D) {
    header.width = bytes.u16(at + 6) & 0x3FFF;
    header.height = bytes.u16(at + 8) & 0x3FFF;
  } else {
    throw FormatError("it does not begin with a WebP image or header chunk");
  }
  // A lower bound: a lossless image may have one value per pixel, a lossy one has an additional half value of color.
  header.raw_bytes = header.width * header.height;
  return header;
}

int flags_of(const ByteView& bytes) {
  return is_chunk(bytes, kFirstChunkAt, "VP8X") ? bytes.u8(kFirstChunkAt + kChunkHeaderBytes) : 0;
}

struct Chunk {
  std::int64_t at = 0;  ///< of its bytes, after name and length
  std::int64_t byte_count = 0;

  std::int64_t end() const { return at + byte_count + byte_count % 2; }
};

/// The first chunk called `name`, from `at` on.
std::optional<Chunk> find_chunk(const FileBytes& file, const char* name, std::int64_t at = kFirstChunkAt) {
  for (int count = 0; file.length() - at >= kChunkHeaderBytes; ++count) {
    if (count == kMostChunks) throw FormatError("it has more than 100,000 WebP chunks");
    const auto head = file.read(at, kChunkHeaderBytes);
    const Chunk chunk = {at + kChunkHeaderBytes, ByteView(head).u32(4)};
    if (is_chunk(ByteView(head), 0, name)) return chunk;
    at = chunk.end();
  }
  return std::nullopt;
}

/// The bytes of the first chunk called `name`; none if there is none, or it is cut short.
std::vector<std::byte> metadata(const FileBytes& file, const char* name) {
  const auto chunk = find_chunk(file, name);
  if (!chunk || chunk->byte_count > kLargestMetadata || chunk->byte_count > file.length() - chunk->at) return {};
  return file.read(chunk->at, chunk->byte_count);
}

int orientation_of(const FileBytes& file, int flags) {
  std::optional<int> orientation;
  // WebP omits the marker of EXIF blocks, but some writers include it.
  if ((flags & kHasExif) != 0) orientation = exif_orientation(metadata(file, "EXIF"));
  if (!orientation && (flags & kHasXmp) != 0) orientation = xmp_orientation(metadata(file, "XMP "));
  return orientation.value_or(1);
}

bool has_more_frames(const FileBytes& file) {
  const auto first = find_chunk(file, "ANMF");
  return first && find_chunk(file, "ANMF", first->end()).has_value();
}

}  // namespace

bool is_webp(std::span<const std::byte> bytes) {
  return bytes.size() >= 12 && std::memcmp(bytes.data(), "RIFF", 4) == 0 &&
         std::memcmp(bytes.data() + 8, "WEBP", 4) == 0;
}

ImageHeader parse_webp_header(const FileBytes& file) {
  const auto start = file.read(0, std::min(file.length(), kStartBytes));
  ImageHeader header = read_size(ByteView(start));
  const int flags = flags_of(ByteView(start));
  header.orientation = orientation_of(file, flags);
  if ((flags & kIsAnimated) != 0 && has_more_frames(file)) header.oddities.add(Oddity::more_frames);
  if (header.orientation >= 5) std::swap(header.width, header.height);
  return header;
}

bool is_animated_webp(std::span<const std::byte> file) { return (flags_of(ByteView(file)) & kIsAnimated) != 0; }

WebpFrame first_webp_frame(std::span<const std::byte> file) {
  const auto chunk = find_chunk(FileBytes(file), "ANMF");
  if (!chunk) throw FormatError("it is a WebP animation without a frame");
  const ByteView view(file);
  const auto at = static_cast<std::size_t>(chunk->at);
  const auto byte_count = static_cast<std::size_t>(chunk->byte_count);
  if (byte_count < kFrameHeaderBytes || !view.has(at, byte_count)) throw FormatError("its WebP data are cut short");
  WebpFrame frame;
  frame.x = 2 * std::int64_t{view.u24(at)}, frame.y = 2 * std::int64_t{view.u24(at + 3)};
  frame.width = std::int64_t{view.u24(at + 6)} + 1, frame.height = std::int64_t{view.u24(at + 9)} + 1;
  frame.data = view.part(at + kFrameHeaderBytes, byte_count - kFrameHeaderBytes);
  const ImageHeader canvas = read_size(view);
  if (frame.x + frame.width > canvas.width || frame.y + frame.height > canvas.height) {
    throw FormatError("its first WebP frame leaves the canvas");
  }
  return frame;
}

const ImageCodec kWebpCodec = {
    .name = "WebP",
    .extensions = {".webp"},
    .matches = &is_webp,
    .header_in_file = &parse_webp_header,
    .decode = &decode_webp,
};

}  // namespace octavo::images
