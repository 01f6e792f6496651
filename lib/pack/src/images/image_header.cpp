#include "images/image_header.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "images/bmp_header.hpp"
#include "images/byte_view.hpp"
#include "images/file_bytes.hpp"
#include "images/gif_header.hpp"
#include "images/jpeg_header.hpp"
#include "images/png_header.hpp"
#include "images/pnm_header.hpp"
#include "images/tiff_header.hpp"
#include "images/webp_header.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"

namespace octavo::images {
namespace {

constexpr std::size_t kFirstLook = std::size_t{16} << 10;
// Claims up to this size are always allowed, however small the file is.
constexpr std::int64_t kAlwaysAllowedBytes = std::int64_t{4} << 20;

bool begins_with(std::span<const std::byte> bytes, std::span<const std::uint8_t> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

/// Parses a header at the beginning of the file; nullopt if `start` ends before it does.
std::optional<ImageHeader> parse_start(std::span<const std::byte> start) {
  if (begins_with(start, kJpegMagic)) return parse_jpeg_header(start);
  if (begins_with(start, kPngMagic)) return parse_png_header(start);
  if (begins_with(start, kGifMagic)) return parse_gif_header(start);
  if (begins_with(start, kBmpMagic)) return parse_bmp_header(start);
  if (is_pnm(start)) return parse_pnm_header(start);
  if (start.empty()) throw FormatError("it is empty");
  throw FormatError("it is not a JPEG, PNG, WebP, TIFF, GIF, BMP or PNM file");
}

/// Parses a header that is scattered over the file; nullopt if the format has its header at the beginning.
std::optional<ImageHeader> parse_scattered(std::span<const std::byte> start, const FileBytes& file) {
  if (is_webp(start)) return parse_webp_header(file);
  if (is_tiff(start)) return parse_tiff_header(file);
  return std::nullopt;
}

}  // namespace

std::optional<ImageHeader> parse_header(std::span<const std::byte> bytes, bool is_whole) {
  if (!is_whole && (is_webp(bytes) || is_tiff(bytes))) return std::nullopt;
  auto header = parse_scattered(bytes, FileBytes(bytes));
  if (!header) header = parse_start(bytes);
  if (!header && is_whole) throw CutShort();
  return header;
}

void check_claim(const ImageHeader& header, std::int64_t file_bytes, const Limits& limits) {
  const std::string claim = std::to_string(header.width) + "x" + std::to_string(header.height) + " pixels";
  const auto pixels = checked_product({header.width, header.height});
  if (pixels && *pixels == 0) throw FormatError("it claims " + claim);
  if (std::max(header.width, header.height) > kLargestSide) {
    throw FormatError("it claims " + claim + ", sides of at most " + std::to_string(kLargestSide) + " are read");
  }
  if (!pixels || static_cast<std::uint64_t>(*pixels) > limits.largest_pixels) {
    throw FormatError("it claims " + claim + ", at most " + std::to_string(limits.largest_pixels) +
                      " are read; if you trust it, allow more with --max-pixels");
  }
  if (header.raw_bytes > kAlwaysAllowedBytes && header.raw_bytes / header.largest_ratio > file_bytes) {
    throw FormatError("it claims " + claim + ", which its " + std::to_string(file_bytes) + " bytes cannot hold");
  }
}

ImageHeader probe(const std::filesystem::path& path, const Limits& limits) {
  const File file = File::open_for_reading(path);
  const std::int64_t length = file.length();
  std::vector<std::byte> bytes;
  for (std::size_t wanted = kFirstLook;; wanted *= 8) {
    bytes.resize(static_cast<std::size_t>(std::min<std::int64_t>(length, static_cast<std::int64_t>(wanted))));
    file.read_at(0, bytes);
    auto header = parse_scattered(bytes, FileBytes(file));
    if (!header) header = parse_header(bytes, static_cast<std::int64_t>(bytes.size()) == length);
    if (header) {
      check_claim(*header, length, limits);
      return *header;
    }
  }
}

}  // namespace octavo::images
