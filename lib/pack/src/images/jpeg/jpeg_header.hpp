// Reads the markers of a JPEG file up to its frame header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "images/image_header.hpp"

namespace octavo::images {

inline constexpr std::array<std::uint8_t, 3> kJpegMagic = {0xFF, 0xD8, 0xFF};

/// Size, color and orientation of the JPEG file that begins with `bytes`; nullopt if they end before its frame header.
/// As in Pillow, the orientation is that of the first EXIF block or, if that has none, of the last XMP packet. Skips
/// junk between segments, as decoders do. Throws FormatError, with the reason only, if there is no frame header or its
/// samples are not 8-bit.
std::optional<ImageHeader> parse_jpeg_header(std::span<const std::byte> bytes);

}  // namespace octavo::images
