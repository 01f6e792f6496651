#include "images/png_header.hpp"

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "images/png_decoder.hpp"
#include "support/checked_math.hpp"

namespace octavo::images {
namespace {

// Magic, then the chunk: length, "IHDR", width, height, depth, color type, three methods, CRC.
constexpr std::size_t kHeaderBytes = 8 + 4 + 4 + 13 + 4;
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

}  // namespace

std::optional<ImageHeader> parse_png_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  const auto byte = [&](std::size_t at) { return std::to_integer<std::int64_t>(bytes[at]); };
  const auto word = [&](std::size_t at) {
    return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
  };
  if (word(8) != 13 || std::memcmp(bytes.data() + 12, "IHDR", 4) != 0) {
    throw FormatError("it does not begin with a PNG header chunk");
  }
  const std::int64_t depth = byte(kDepthAt), color_type = byte(kColorTypeAt);
  const std::int64_t bits = depth * stored_channels(color_type);
  if (bits == 0 || depth > 16) throw FormatError("its PNG header has an unknown color type or depth");
  ImageHeader header;
  header.width = word(kWidthAt);
  header.height = word(kHeightAt);
  header.channels = color_type == 0 || color_type == 4 ? 1 : 3;
  if (depth == 16) header.element = arrays::Element::uint16, header.white = 65535.0;
  // Each row begins with a filter byte.
  header.raw_bytes = checked_product({header.height, 1 + (header.width * bits + 7) / 8}).value_or(INT64_MAX);
  return header;
}

const ImageCodec kPngCodec = {
    .name = "PNG",
    .extensions = {".png", ".apng"},
    .matches = &begins_with<kPngMagic>,
    .header_in_start = &parse_png_header,
    .decode = &decode_png,
    .decode_deep = &decode_deep_png,
};

}  // namespace octavo::images
