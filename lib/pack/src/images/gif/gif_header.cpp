#include "images/gif/gif_header.hpp"

#include <algorithm>

#include <octavo/errors.hpp>

#include "images/byte_view.hpp"
#include "images/gif/gif_decoder.hpp"
#include "images/image_codec.hpp"

namespace octavo::images {
namespace {

// GIF89a, sections 17 to 26: signature, screen size, flags, two more bytes; then blocks, identified by their first
// byte.
constexpr std::size_t kScreenAt = 6, kFlagsAt = 10, kBlocksAt = 13;
constexpr int kExtension = '!', kFrame = ',', kEnd = ';';
constexpr int kGraphicControl = 0xF9;
constexpr int kHasPalette = 0x80, kIsInterlaced = 0x40, kPaletteBits = 7, kHasTransparent = 1;
// A code of 12 bits represents fewer than 3,840 pixels.
constexpr std::int64_t kLargestRatio = 2600;

class GifWalker {
 public:
  explicit GifWalker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  GifLayout read() {
    GifLayout layout;
    layout.palette = read_palette(bytes_.u8(kFlagsAt), kBlocksAt);
    while (bytes_.u8(at_) != kFrame) {
      if (bytes_.u8(at_) == kEnd) throw FormatError("it is a GIF file without an image");
      if (bytes_.u8(at_) != kExtension) throw FormatError("it has an unknown GIF block");
      skip_extension(layout);
    }
    read_frame(layout);
    return layout;
  }

 private:
  /// Reads the palette at `at` if `flags` announce one; at_ is behind it afterwards.
  Palette read_palette(int flags, std::size_t at) {
    at_ = at;
    if ((flags & kHasPalette) == 0) return {};
    Palette palette(std::size_t{2} << (flags & kPaletteBits));
    for (auto& color : palette) {
      color = {bytes_.u8(at_), bytes_.u8(at_ + 1), bytes_.u8(at_ + 2)};
      at_ += 3;
    }
    return palette;
  }

  /// An extension is a sequence of blocks that begin with their length, up to an empty one.
  void skip_extension(GifLayout& layout) {
    if (bytes_.u8(at_ + 1) == kGraphicControl && bytes_.u8(at_ + 2) >= 4) {
      layout.transparent = (bytes_.u8(at_ + 3) & kHasTransparent) != 0 ? bytes_.u8(at_ + 6) : -1;
    }
    for (at_ += 2; bytes_.u8(at_) != 0;) at_ += 1u + bytes_.u8(at_);
    ++at_;
  }

  void read_frame(GifLayout& layout) {
    layout.frame_x = bytes_.u16(at_ + 1), layout.frame_y = bytes_.u16(at_ + 3);
    layout.frame_width = bytes_.u16(at_ + 5), layout.frame_height = bytes_.u16(at_ + 7);
    layout.width = std::max<std::int64_t>(bytes_.u16(kScreenAt), layout.frame_x + layout.frame_width);
    layout.height = std::max<std::int64_t>(bytes_.u16(kScreenAt + 2), layout.frame_y + layout.frame_height);
    const int flags = bytes_.u8(at_ + 9);
    layout.is_interlaced = (flags & kIsInterlaced) != 0;
    if ((flags & kHasPalette) != 0) layout.palette = read_palette(flags, at_ + 10);
    if (layout.palette.empty()) layout.palette = gray_palette();
  }

  static Palette gray_palette() {
    Palette palette(256);
    for (std::size_t i = 0; i < palette.size(); ++i) palette[i].fill(static_cast<std::uint8_t>(i));
    return palette;
  }

  ByteView bytes_;
  std::size_t at_ = kBlocksAt;
};

}  // namespace

std::optional<GifLayout> read_gif_layout(std::span<const std::byte> bytes) {
  try {
    return GifWalker(bytes).read();
  } catch (const CutShort&) {
    return std::nullopt;
  }
}

std::optional<ImageHeader> parse_gif_header(std::span<const std::byte> bytes) {
  const auto layout = read_gif_layout(bytes);
  if (!layout) return std::nullopt;
  if (layout->frame_width == 0 || layout->frame_height == 0) throw FormatError("its first GIF frame is empty");
  ImageHeader header;
  header.width = layout->width;
  header.height = layout->height;
  header.channels = is_gray(layout->palette) ? 1 : 3;
  header.raw_bytes = layout->width * layout->height;
  header.largest_ratio = kLargestRatio;
  return header;
}

const ImageCodec kGifCodec = {
    .name = "GIF",
    .extensions = {".gif"},
    .matches = &begins_with<kGifMagic>,
    .header_in_start = &parse_gif_header,
    .decode = &decode_gif,
};

}  // namespace octavo::images
