#include "image/image_header.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "image/jpeg_header.hpp"
#include "image/png_header.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"

namespace octavo::image {
namespace {

constexpr std::size_t kFirstLook = std::size_t{16} << 10;
// Deflate ends at 1,032:1, and a JPEG block of 64 values takes two bits at the least.
constexpr std::int64_t kLargestRatio = 1100;
// JPEG's own limit, taken for PNG too.
constexpr std::int64_t kLargestSide = 65535;
// What a small file may always claim.
constexpr std::int64_t kAlwaysAllowedBytes = std::int64_t{4} << 20;

bool begins_with(std::span<const std::byte> bytes, std::span<const std::uint8_t> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](std::uint8_t a, std::byte b) { return a == std::to_integer<std::uint8_t>(b); });
}

}  // namespace

std::optional<ImageHeader> parse_header(std::span<const std::byte> bytes, bool is_whole) {
  std::optional<ImageHeader> header;
  if (begins_with(bytes, kJpegMagic)) {
    header = parse_jpeg_header(bytes);
  } else if (begins_with(bytes, kPngMagic)) {
    header = parse_png_header(bytes);
  } else if (bytes.empty()) {
    throw FormatError("it is empty");
  } else {
    throw FormatError("it is neither a JPEG nor a PNG file");
  }
  if (!header && is_whole) throw FormatError("it is cut short inside its header");
  return header;
}

void check_claim(const ImageHeader& header, std::int64_t file_bytes, const Limits& limits) {
  const std::string claim = std::to_string(header.width) + "x" + std::to_string(header.height) + " pixels";
  const auto pixels = checked_product({header.width, header.height});
  if (pixels && *pixels == 0) throw FormatError("it claims " + claim);
  // The resizer counts its scratch memory, some tens of bytes a column, in 32 bits.
  if (std::max(header.width, header.height) > kLargestSide) {
    throw FormatError("it claims " + claim + ", sides of at most " + std::to_string(kLargestSide) + " are read");
  }
  if (!pixels || static_cast<std::uint64_t>(*pixels) > limits.largest_pixels) {
    throw FormatError("it claims " + claim + ", at most " + std::to_string(limits.largest_pixels) + " are read");
  }
  if (header.raw_bytes > kAlwaysAllowedBytes && header.raw_bytes / kLargestRatio > file_bytes) {
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
    const bool is_whole = static_cast<std::int64_t>(bytes.size()) == length;
    if (const auto header = parse_header(bytes, is_whole)) {
      check_claim(*header, length, limits);
      return *header;
    }
  }
}

}  // namespace octavo::image
