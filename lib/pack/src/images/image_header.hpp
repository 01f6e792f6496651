// Reads the format, size, color and orientation of an image file from its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "arrays/element.hpp"
#include "images/oddities.hpp"

namespace octavo::images {

struct ImageCodec;

/// An image as its header describes it; nothing is decoded.
struct ImageHeader {
  const ImageCodec* codec = nullptr;  ///< the format
  std::int64_t width = 0;             ///< as displayed, that is, after applying the orientation
  std::int64_t height = 0;            ///< as displayed
  std::int64_t channels = 0;          ///< 1: gray; with `has_bands` any number; 3: everything else
  /// The channels are neither gray nor RGB: they are packed as they are stored, and never converted to other channels.
  bool has_bands = false;
  /// The type of the color values: uint8 for up to 8 bits, and for forms that are always converted to 8 bits.
  arrays::Element element = arrays::Element::uint8;
  double white = 255.0;         ///< the value of full brightness; 0 if values have no defined range (not uint8, uint16)
  int orientation = 1;          ///< EXIF 1 to 8: how to turn the stored image; always 1 except in JPEG, PNG, WebP, TIFF
  std::int64_t file_bytes = 0;  ///< size of the file; 0 if only its start is known
  std::int64_t raw_bytes = 0;   ///< size of the stored pixels before compression
  /// The largest compression ratio of the format. Deflate is limited to 1,032:1; a JPEG block of 64 values takes at
  /// least two bits, and a macroblock of 256 pixels in lossy WebP almost three.
  std::int64_t largest_ratio = 1100;
  Oddities oddities;  ///< as far as the header shows them

  /// Whether the values must be quantized to become bytes.
  bool is_deep() const { return element != arrays::Element::uint8; }
  std::int64_t stored_width() const { return orientation >= 5 ? height : width; }
  std::int64_t stored_height() const { return orientation >= 5 ? width : height; }
};

/// Limit for images that are decoded or resized: that of JPEG, used for all formats.
inline constexpr std::int64_t kLargestSide = 65535;

/// The most bands of an image: as many as a sample has channels.
inline constexpr std::int64_t kMostBands = 4096;

/// Limits on how much memory a file can make us allocate.
struct Limits {
  std::uint64_t largest_pixels = 256u << 20;  ///< three bands count as a pixel
};

/// Reads the header in `bytes`, the start of a file. Returns nullopt if the header continues beyond them; with
/// `is_whole` (they are the whole file) that is an error. Throws FormatError, with the reason only, if the format is
/// unknown or the header is damaged.
std::optional<ImageHeader> parse_header(std::span<const std::byte> bytes, bool is_whole);

/// Refuses images larger than `limits`, and images that claim more than the file's bytes can hold, unless they are
/// small. Throws FormatError with the reason only.
void check_claim(const ImageHeader& header, std::int64_t file_bytes, const Limits& limits);

/// For decoders: refuses a file whose pixels have another size than its header. The header may be from an earlier state
/// of the file. Throws FormatError with the reason only.
void check_stored_size(const ImageHeader& header, std::int64_t width, std::int64_t height);

/// Throws FormatError, with the reason only: pixels and header are from two states of a file.
[[noreturn]] void refuse_changed();

/// Reads and checks the header of a file, reading no more of the file than necessary. Throws FormatError with the
/// reason only, IoError if the file cannot be read.
ImageHeader probe(const std::filesystem::path& path, const Limits& limits);

}  // namespace octavo::images
