#include "images/png/png_header.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <octavo/errors.hpp>

#include "images/exif_orientation.hpp"
#include "images/image_codec.hpp"
#include "images/png/png_decoder.hpp"
#include "images/xmp_orientation.hpp"
#include "support/checked_math.hpp"

namespace octavo::images {
namespace {

// Magic, then the chunk: length, "IHDR", width, height, depth, color type, three methods; a CRC of 4 bytes follows.
constexpr std::size_t kHeaderBytes = 8 + 4 + 4 + 13;
constexpr std::int64_t kChunksAt = kHeaderBytes + 4;
constexpr std::size_t kWidthAt = 16, kHeightAt = 20, kDepthAt = 24, kColorTypeAt = 25;

/// Stored values per pixel; 0 for an unknown color type.
std::int64_t stored_channels(std::int64_t color_type) {
  switch (color_type) {
    case 0:
      return 1;  // gray
    case 2:
      return 3;  // RGB
    case 3:
      return 1;  // palette
    case 4:
      return 2;  // gray and alpha
    case 6:
      return 4;  // RGB and alpha
    default:
      return 0;
  }
}

/// An XMP packet in the iTXt chunk with this keyword: keyword, 0, whether it is compressed, method, language, 0,
/// translated keyword, 0, text. nullopt if it is another text, or compressed, which XMP packets are not.
std::optional<std::span<const std::byte>> xmp_packet(std::span<const std::byte> chunk) {
  constexpr std::string_view kKeyword{"XML:com.adobe.xmp\0\0", 19};
  const std::string_view text(reinterpret_cast<const char*>(chunk.data()), chunk.size());
  if (!text.starts_with(kKeyword)) return std::nullopt;
  const std::size_t language_end = text.find('\0', kKeyword.size() + 1);
  const std::size_t keyword_end = language_end == text.npos ? text.npos : text.find('\0', language_end + 1);
  if (keyword_end == text.npos) return std::nullopt;
  return chunk.subspan(keyword_end + 1);
}

/// Reads the chunks after the header chunk that matter besides the pixels, up to the end chunk, the end of the file or
/// its first truncated chunk, which the decoder reports.
class PngChunks {
 public:
  explicit PngChunks(const FileBytes& file) : file_(file) {
    std::int64_t at = kChunksAt;
    for (int count = 0; file_.length() - at >= kChunkFrameBytes; ++count) {
      if (count == kMostChunks) throw FormatError("it has more than 1,000,000 PNG chunks");
      const auto head = file_.read(at, 8);
      const std::int64_t byte_count = ByteView(head, ByteOrder::big).u32(0);
      if (byte_count > file_.length() - at - kChunkFrameBytes) break;
      const std::string name(reinterpret_cast<const char*>(head.data()) + 4, 4);
      if (name == "IEND") break;
      look_at(name, at + 8, byte_count);
      at += kChunkFrameBytes + byte_count;
    }
  }

  int orientation() const { return exif_.value_or(xmp_.value_or(1)); }
  bool has_more_frames() const { return frame_count_ > 1; }

 private:
  // Length, name and CRC.
  static constexpr std::int64_t kChunkFrameBytes = 12;
  // More chunks than any image has, and more metadata than any camera writes.
  static constexpr int kMostChunks = 1'000'000;
  static constexpr std::int64_t kLargestMetadata = std::int64_t{1} << 20;

  void look_at(std::string_view name, std::int64_t at, std::int64_t byte_count) {
    if (byte_count > kLargestMetadata) return;
    if (name == "eXIf") exif_ = exif_orientation(file_.read(at, byte_count));
    if (name == "iTXt") {
      const auto chunk = file_.read(at, byte_count);
      if (const auto packet = xmp_packet(chunk)) xmp_ = xmp_orientation(*packet);
    }
    if (name == "acTL" && byte_count >= 4) frame_count_ = ByteView(file_.read(at, 4), ByteOrder::big).u32(0);
  }

  const FileBytes& file_;
  std::optional<int> exif_, xmp_;
  std::uint32_t frame_count_ = 1;
};

}  // namespace

ImageHeader parse_png_header(const FileBytes& file) {
  const auto bytes = file.read(0, kHeaderBytes);
  const ByteView view(bytes, ByteOrder::big);
  if (view.u32(8) != 13 || std::memcmp(bytes.data() + 12, "IHDR", 4) != 0) {
    throw FormatError("it does not begin with a PNG header chunk");
  }
  const std::int64_t depth = view.u8(kDepthAt), color_type = view.u8(kColorTypeAt);
  const std::int64_t bits = depth * stored_channels(color_type);
  if (bits == 0 || depth > 16) throw FormatError("its PNG header has an unknown color type or depth");
  ImageHeader header;
  header.width = view.u32(kWidthAt);
  header.height = view.u32(kHeightAt);
  header.channels = color_type == 0 || color_type == 4 ? 1 : 3;
  if (depth == 16) header.element = arrays::Element::uint16, header.white = 65535.0;
  // Each row begins with a filter byte.
  header.raw_bytes = checked_product({header.height, 1 + (header.width * bits + 7) / 8}).value_or(INT64_MAX);
  const PngChunks chunks(file);
  header.orientation = chunks.orientation();
  if (header.orientation >= 5) std::swap(header.width, header.height);
  if (chunks.has_more_frames()) header.oddities.add(Oddity::more_frames);
  return header;
}

const ImageCodec kPngCodec = {
    .name = "PNG",
    .extensions = {".png", ".apng"},
    .matches = &begins_with<kPngMagic>,
    .header_in_file = &parse_png_header,
    .decode = &decode_png,
    .decode_deep = &decode_deep_png,
};

}  // namespace octavo::images
