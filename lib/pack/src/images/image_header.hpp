// What the first bytes of an image file tell: its format, size, color and orientation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace octavo::images {

enum class Format { jpeg, png, webp, tiff, gif, bmp, pnm };

/// An image as its header describes it, nothing decoded yet.
struct ImageHeader {
  Format format = Format::jpeg;
  std::int64_t width = 0;      ///< as it is shown, that is after the orientation
  std::int64_t height = 0;     ///< likewise
  std::int64_t channels = 0;   ///< 1: gray; 3: everything else
  int orientation = 1;         ///< EXIF 1 to 8: how the stored image must be turned; always 1 but for JPEG, WebP, TIFF
  std::int64_t raw_bytes = 0;  ///< what the pixels take as stored, before compression
  /// How many of those one byte of the file can hold. Deflate ends at 1,032:1, a JPEG block of 64 values takes two bits
  /// at the least, and a macroblock of 256 pixels in lossy WebP almost three.
  std::int64_t largest_ratio = 1100;

  std::int64_t stored_width() const { return orientation >= 5 ? height : width; }
  std::int64_t stored_height() const { return orientation >= 5 ? width : height; }
};

/// Of images that are decoded or resized: JPEG's own limit, taken for all.
inline constexpr std::int64_t kLargestSide = 65535;

/// What bounds how much a file may make us allocate.
struct Limits {
  std::uint64_t largest_pixels = 256u << 20;
};

/// Reads the header in `bytes`, the start of a file. Returns nothing if the header goes on beyond them; with
/// `is_whole`, when they are the whole file, that is an error. Throws FormatError, with the reason only, if it is
/// of none of the formats or if the header is damaged.
std::optional<ImageHeader> parse_header(std::span<const std::byte> bytes, bool is_whole);

/// Refuses what is larger than `limits` allow, and what claims more than the file's bytes can hold unless that is
/// little. Throws FormatError with the reason only.
void check_claim(const ImageHeader& header, std::int64_t file_bytes, const Limits& limits);

/// Reads and checks the header of a file, from no more of it than is needed. Throws FormatError with the reason only,
/// IoError if it cannot be read.
ImageHeader probe(const std::filesystem::path& path, const Limits& limits);

}  // namespace octavo::images
