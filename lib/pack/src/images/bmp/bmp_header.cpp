#include "images/bmp/bmp_header.hpp"

#include <algorithm>
#include <string>

#include <octavo/errors.hpp>

#include "images/bmp/bmp_decoder.hpp"
#include "images/byte_view.hpp"
#include "images/image_codec.hpp"
#include "support/checked_math.hpp"

namespace octavo::images {
namespace {

// The file header: "BM", length, two reserved fields, offset of the pixels. The second header starts with its length.
constexpr std::size_t kPixelsAt = 10, kInfoAt = 14;
// Lengths of the second header: OS/2 1, OS/2 2 (short and full), Windows 3, with masks, also with alpha, 4, 5.
constexpr std::uint32_t kOs2Bytes = 12, kOs2ShortBytes = 16, kOs2LongBytes = 64, kWindowsBytes = 40;
constexpr std::uint32_t kMasksBytes = 52, kAlphaBytes = 56;
constexpr std::array<std::uint32_t, 8> kKnownBytes = {kOs2Bytes,   kOs2ShortBytes, kWindowsBytes, kMasksBytes,
                                                      kAlphaBytes, kOs2LongBytes,  108,           124};
constexpr std::array<int, 6> kKnownBits = {1, 4, 8, 16, 24, 32};
// Windows 3 headers are followed by three masks for the first coding, and by four for the second.
constexpr std::uint32_t kBitFields = 3, kAlphaBitFields = 6;

/// The fields of the second header; those beyond its length are 0.
struct Info {
  std::uint32_t header_bytes = 0;
  std::int64_t width = 0, height = 0;
  int bits = 0;
  std::uint32_t coding = 0;
  std::uint32_t color_count = 0;

  bool has_masks() const { return coding == kBitFields || coding == kAlphaBitFields; }
  /// Masks between the second header and the palette.
  std::size_t trailing_masks() const {
    return header_bytes != kWindowsBytes || !has_masks() ? 0 : coding == kBitFields ? 3 : 4;
  }
  std::size_t end() const { return kInfoAt + header_bytes + 4 * trailing_masks(); }
};

Info read_info(const ByteView& bytes) {
  Info info;
  info.header_bytes = bytes.u32(kInfoAt);
  if (std::ranges::find(kKnownBytes, info.header_bytes) == kKnownBytes.end()) {
    throw FormatError("it has a BMP header of " + std::to_string(info.header_bytes) +
                      " bytes, which is not a known size");
  }
  if (info.header_bytes == kOs2Bytes) {
    info.width = bytes.u16(kInfoAt + 4), info.height = bytes.u16(kInfoAt + 6), info.bits = bytes.u16(kInfoAt + 10);
    return info;
  }
  info.width = bytes.i32(kInfoAt + 4), info.height = bytes.i32(kInfoAt + 8), info.bits = bytes.u16(kInfoAt + 14);
  if (info.header_bytes == kOs2ShortBytes) return info;
  info.coding = bytes.u32(kInfoAt + 16), info.color_count = bytes.u32(kInfoAt + 32);
  return info;
}

void check_coding(const Info& info) {
  const bool is_known_bits = std::ranges::find(kKnownBits, info.bits) != kKnownBits.end();
  const bool is_run_length = (info.coding == 1 && info.bits == 8) || (info.coding == 2 && info.bits == 4);
  // In OS/2's own header, the value for bit fields means another compression.
  const bool is_fields = info.has_masks() && (info.bits == 16 || info.bits == 32) && info.header_bytes != kOs2LongBytes;
  if (is_known_bits && (info.coding == 0 || is_run_length || is_fields)) return;
  throw FormatError("it has " + std::to_string(info.bits) + " bits per pixel in BMP compression " +
                    std::to_string(info.coding) + ", which cannot be read");
}

/// Each mask must be one run of at most 16 bits; R, G and B must have one.
void check_masks(const std::array<std::uint32_t, 4>& masks) {
  for (std::size_t i = 0; i < masks.size(); ++i) {
    std::uint32_t run = masks[i];
    while (run != 0 && run % 2 == 0) run /= 2;
    if ((i < 3 && run == 0) || (run & (run + 1)) != 0 || run > 0xFFFF) {
      throw FormatError("its BMP bit masks cannot be read");
    }
  }
}

std::array<std::uint32_t, 4> read_masks(const ByteView& bytes, const Info& info) {
  if (info.bits <= 8) return {};
  if (!info.has_masks()) {
    // A fourth byte is padding in this case.
    if (info.bits == 16) return {0x7C00, 0x3E0, 0x1F, 0};
    return {0xFF0000, 0xFF00, 0xFF, 0};
  }
  const bool has_alpha = info.header_bytes >= kAlphaBytes || info.trailing_masks() == 4;
  std::array<std::uint32_t, 4> masks = {};
  for (std::size_t i = 0; i < (has_alpha ? 4u : 3u); ++i) masks[i] = bytes.u32(kInfoAt + kWindowsBytes + 4 * i);
  check_masks(masks);
  return masks;
}

/// Reads the colors between the headers and the pixels: B, G, R, and a padding byte except in OS/2's first format.
Palette read_palette(const ByteView& bytes, const Info& info, std::size_t pixels_at) {
  if (info.bits > 8) return {};
  const std::size_t entry_bytes = info.header_bytes == kOs2Bytes ? 3 : 4;
  std::size_t count = std::size_t{1} << info.bits;
  if (info.color_count != 0) count = std::min<std::size_t>(count, info.color_count);
  count = std::min(count, (pixels_at - info.end()) / entry_bytes);
  Palette palette(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = info.end() + entry_bytes * i;
    palette[i] = {bytes.u8(at + 2), bytes.u8(at + 1), bytes.u8(at)};
  }
  return palette;
}

BmpLayout read_layout(const ByteView& bytes) {
  const Info info = read_info(bytes);
  check_coding(info);
  BmpLayout layout;
  layout.pixels_at = bytes.u32(kPixelsAt);
  if (layout.pixels_at < info.end()) throw FormatError("its BMP pixels begin inside the headers");
  if (info.width < 0) throw FormatError("it claims a width of " + std::to_string(info.width));
  layout.width = info.width;
  layout.height = info.height < 0 ? -info.height : info.height;
  layout.is_top_down = info.height < 0;
  layout.bits = info.bits;
  layout.coding = info.coding == kAlphaBitFields ? BmpCoding::bit_fields : static_cast<BmpCoding>(info.coding);
  layout.masks = read_masks(bytes, info);
  layout.palette = read_palette(bytes, info, layout.pixels_at);
  return layout;
}

}  // namespace

std::optional<BmpLayout> read_bmp_layout(std::span<const std::byte> bytes) {
  const ByteView view(bytes);
  if (!view.has(kInfoAt, 4)) return std::nullopt;
  try {
    return read_layout(view);
  } catch (const CutShort&) {
    return std::nullopt;
  }
}

std::optional<ImageHeader> parse_bmp_header(std::span<const std::byte> bytes) {
  const auto layout = read_bmp_layout(bytes);
  if (!layout) return std::nullopt;
  ImageHeader header;
  header.width = layout->width;
  header.height = layout->height;
  header.channels = layout->bits <= 8 && is_gray(layout->palette) ? 1 : 3;
  const bool is_run_length = layout->coding == BmpCoding::run_length_8 || layout->coding == BmpCoding::run_length_4;
  header.raw_bytes = checked_product({layout->height, layout->row_bytes()}).value_or(INT64_MAX);
  if (!is_run_length) header.largest_ratio = 1;
  return header;
}

const ImageCodec kBmpCodec = {
    .name = "BMP",
    .extensions = {".bmp", ".dib"},
    .matches = &begins_with<kBmpMagic>,
    .header_in_start = &parse_bmp_header,
    .decode = &decode_bmp,
};

}  // namespace octavo::images
