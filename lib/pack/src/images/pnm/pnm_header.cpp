#include "images/pnm/pnm_header.hpp"

#include <algorithm>
#include <string>

#include <octavo/errors.hpp>

#include "images/image_codec.hpp"
#include "images/pnm/pnm_decoder.hpp"
#include "images/pnm/pnm_tokens.hpp"
#include "support/checked_math.hpp"

namespace octavo::images {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{64} << 10;
constexpr std::int64_t kLargestNumber = INT32_MAX, kLargestValue = 65535;

/// P1 to P6: width, height, and the largest value (not in bitmaps).
std::optional<PnmLayout> read_pnm(char kind, PnmTokens& tokens) {
  PnmLayout layout;
  layout.is_bitmap = kind == '1' || kind == '4';
  layout.is_plain = kind <= '3';
  layout.stored_channels = kind == '3' || kind == '6' ? 3 : 1;
  const auto width = tokens.number(kLargestNumber, false);
  const auto height = width ? tokens.number(kLargestNumber, false) : std::nullopt;
  if (!height) return std::nullopt;
  if (!layout.is_bitmap) {
    const auto largest = tokens.number(kLargestValue, false);
    if (!largest) return std::nullopt;
    layout.largest = static_cast<int>(*largest);
  }
  layout.width = *width, layout.height = *height;
  layout.pixels_at = tokens.at();
  return layout;
}

/// Sets the meaning of the channels of a PAM file, which its tuple type states. That of other types, and of files
/// without one, is unknown, except that one channel is gray and three are RGB.
void set_channels(const std::string& tuple_type, PnmLayout& layout) {
  switch (layout.stored_channels) {
    case 1:
      return;
    case 2:
      layout.has_alpha = tuple_type == "GRAYSCALE_ALPHA" || tuple_type == "BLACKANDWHITE_ALPHA";
      break;
    case 3:
      layout.has_bands = !tuple_type.empty() && tuple_type != "RGB";
      return;
    case 4:
      layout.has_alpha = tuple_type == "RGB_ALPHA";
      break;
    default:
      break;
  }
  layout.has_bands = !layout.has_alpha;
}

/// P7: names and values up to ENDHDR.
std::optional<PnmLayout> read_pam(PnmTokens& tokens) {
  PnmLayout layout;
  std::string tuple_type;
  layout.largest = 0;
  for (;;) {
    const std::string name = tokens.word();
    if (tokens.is_at_end()) return std::nullopt;
    if (name == "ENDHDR") break;
    if (name == "TUPLTYPE") {
      const std::string more = tokens.rest_of_line();
      tuple_type += (tuple_type.empty() ? "" : " ") + more;
      continue;
    }
    const bool is_known = name == "WIDTH" || name == "HEIGHT" || name == "DEPTH" || name == "MAXVAL";
    if (!is_known) throw FormatError("its PAM header has an unknown line");
    const auto value = tokens.number(name == "MAXVAL" ? kLargestValue : kLargestNumber, false);
    if (!value) return std::nullopt;
    if (name == "WIDTH") layout.width = *value;
    if (name == "HEIGHT") layout.height = *value;
    if (name == "DEPTH") layout.stored_channels = *value;
    if (name == "MAXVAL") layout.largest = static_cast<int>(*value);
  }
  layout.pixels_at = tokens.at();
  set_channels(tuple_type, layout);
  return layout;
}

/// Where the line that begins at `at` ends: at its newline or carriage return, or the end of the file.
std::size_t line_end(std::span<const std::byte> file, std::size_t at) {
  while (at < file.size() && file[at] != std::byte{'\n'} && file[at] != std::byte{'\r'}) ++at;
  return at;
}

/// Whether exactly the pixels are from `at` to the end of the file.
bool are_pixels_from(std::span<const std::byte> file, std::size_t at, const PnmLayout& layout) {
  if (at > file.size()) return false;
  const auto rest = static_cast<std::int64_t>(file.size() - at);
  return rest % layout.row_bytes() == 0 && rest / layout.row_bytes() == layout.height;
}

void check(const PnmLayout& layout) {
  if (layout.largest == 0) throw FormatError("its PNM header says that the largest value is 0");
  if (layout.stored_channels < 1 || layout.stored_channels > kMostBands) {
    throw FormatError("it has " + std::to_string(layout.stored_channels) + " channels; PAM files of 1 to " +
                      std::to_string(kMostBands) + " can be read");
  }
}

}  // namespace

PnmPixels find_pnm_pixels(std::span<const std::byte> file, const PnmLayout& layout) {
  const auto is_comment = [&](std::size_t at) { return at < file.size() && file[at] == std::byte{'#'}; };
  const auto is_space = [&](std::size_t at) {
    return at < file.size() && PnmTokens::is_space(std::to_integer<char>(file[at]));
  };
  std::size_t at = layout.pixels_at;
  if (is_comment(at)) {
    while (is_comment(at)) at = line_end(file, at) + 1;
    // In libnetpbm, the end of the comment is the whitespace; in the format's description and in Pillow, another
    // character follows.
    return {are_pixels_from(file, at, layout) || !is_space(at) ? at : at + 1};
  }
  ++at;
  if (are_pixels_from(file, at, layout)) return {at};
  for (std::size_t next = at; next < file.size();) {
    while (is_space(next)) ++next;
    if (!is_comment(next)) break;
    next = line_end(file, next) + 1;
    for (const std::size_t after : {next, next + 1}) {  // a line may end with two characters
      if (are_pixels_from(file, after, layout)) return {after, true};
    }
  }
  return {at};
}

bool is_pnm(std::span<const std::byte> bytes) {
  if (bytes.size() < 3) return false;
  const auto byte = [&](std::size_t at) { return std::to_integer<char>(bytes[at]); };
  return byte(0) == 'P' && byte(1) >= '1' && byte(1) <= '7' && (PnmTokens::is_space(byte(2)) || byte(2) == '#');
}

std::optional<PnmLayout> read_pnm_layout(std::span<const std::byte> bytes) {
  PnmTokens tokens(bytes.first(std::min(bytes.size(), kLongestHeader)), 2);
  const char kind = std::to_integer<char>(bytes[1]);
  const auto layout = kind == '7' ? read_pam(tokens) : read_pnm(kind, tokens);
  if (layout) check(*layout);
  if (!layout && bytes.size() >= kLongestHeader) throw FormatError("its PNM header has more than 64 KiB");
  return layout;
}

std::optional<ImageHeader> parse_pnm_header(std::span<const std::byte> bytes) {
  const auto layout = read_pnm_layout(bytes);
  if (!layout) return std::nullopt;
  ImageHeader header;
  header.width = layout->width;
  header.height = layout->height;
  header.channels = layout->colors();
  header.has_bands = layout->has_bands;
  header.largest_ratio = 1;
  if (layout->largest > 255) header.element = arrays::Element::uint16, header.white = layout->largest;
  // A decimal number takes at least as many bytes as a binary 8-bit one; in a bitmap, one byte per pixel.
  const std::int64_t row_bytes = layout->is_plain ? layout->width * layout->stored_channels : layout->row_bytes();
  header.raw_bytes = checked_product({layout->height, row_bytes}).value_or(INT64_MAX);
  return header;
}

const ImageCodec kPnmCodec = {
    .name = "PNM",
    .extensions = {".pbm", ".pgm", ".ppm", ".pnm", ".pam"},
    .matches = &is_pnm,
    .header_in_start = &parse_pnm_header,
    .decode = &decode_pnm,
    .decode_deep = &decode_deep_pnm,
};

}  // namespace octavo::images
