#include "images/image_header.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <octavo/errors.hpp>

#include "images/byte_view.hpp"
#include "images/file_bytes.hpp"
#include "images/image_codec.hpp"
#include "support/checked_math.hpp"
#include "support/file.hpp"

namespace octavo::images {
namespace {

constexpr std::size_t kFirstLook = std::size_t{16} << 10;
// Claims up to this size are always allowed, however small the file is.
constexpr std::int64_t kAlwaysAllowedBytes = std::int64_t{4} << 20;

/// Reads the header from the start of a file or, if its format requires it, from anywhere; nullopt if the header
/// continues beyond `start`.
std::optional<ImageHeader> read_header(std::span<const std::byte> start, const FileBytes& file) {
  const ImageCodec& codec = codec_of(start);
  std::optional<ImageHeader> header =
      codec.header_in_file != nullptr ? codec.header_in_file(file) : codec.header_in_start(start);
  if (header) header->codec = &codec;
  return header;
}

}  // namespace

std::optional<ImageHeader> parse_header(std::span<const std::byte> bytes, bool is_whole) {
  if (!is_whole && codec_of(bytes).header_in_file != nullptr) return std::nullopt;
  const auto header = read_header(bytes, FileBytes(bytes));
  if (!header && is_whole) throw CutShort();
  return header;
}

void check_claim(const ImageHeader& header, std::int64_t file_bytes, const Limits& limits) {
  const std::string claim = std::to_string(header.width) + "x" + std::to_string(header.height) + " pixels" +
                            (header.has_bands ? " of " + std::to_string(header.channels) + " bands" : "");
  if (header.has_bands && header.channels > kMostBands) {
    throw FormatError("it claims " + claim + "; at most " + std::to_string(kMostBands) + " bands are read");
  }
  const auto pixels = checked_product({header.width, header.height, (header.channels + 2) / 3});
  if (pixels && *pixels == 0) throw FormatError("it claims " + claim);
  if (std::max(header.width, header.height) > kLargestSide) {
    throw FormatError("it claims " + claim + ", sides of at most " + std::to_string(kLargestSide) + " are read");
  }
  if (!pixels || static_cast<std::uint64_t>(*pixels) > limits.largest_pixels) {
    throw FormatError("it claims " + claim + ", at most " + std::to_string(limits.largest_pixels) +
                      " are read; if you trust it, allow more with `max_pixels`");
  }
  if (header.raw_bytes > kAlwaysAllowedBytes && header.raw_bytes / header.largest_ratio > file_bytes) {
    throw FormatError("it claims " + claim + ", which its " + std::to_string(file_bytes) + " bytes cannot hold");
  }
}

void refuse_changed() {
  throw FormatError("its pixels do not match its header; do not change images while they are packed");
}

void check_stored_size(const ImageHeader& header, std::int64_t width, std::int64_t height) {
  if (width != header.stored_width() || height != header.stored_height()) refuse_changed();
}

ImageHeader probe(const std::filesystem::path& path, const Limits& limits) {
  const File file = File::open_for_reading(path);
  const std::int64_t length = file.length();
  std::vector<std::byte> bytes;
  for (std::size_t wanted = kFirstLook;; wanted *= 8) {
    bytes.resize(static_cast<std::size_t>(std::min<std::int64_t>(length, static_cast<std::int64_t>(wanted))));
    file.read_at(0, bytes);
    if (auto header = read_header(bytes, FileBytes(file))) {
      check_claim(*header, length, limits);
      header->file_bytes = length;
      return *header;
    }
    if (static_cast<std::int64_t>(bytes.size()) == length) throw CutShort();
  }
}

}  // namespace octavo::images
