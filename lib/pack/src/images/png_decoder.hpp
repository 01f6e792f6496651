// Decoding PNG files by libpng.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a PNG file: gray has one channel, all else is RGB; palettes are looked up, 1, 2 and 4 bits are spread
/// over 0 ... 255, 16 bits are narrowed, transparency is composed over `background` (and transparent gray becomes RGB
/// if that is colored). Gamma, color profiles and orientation are ignored. Throws FormatError with the reason only:
/// damaged or cut data, a wrong CRC of any chunk.
Pixels decode_png(std::span<const std::byte> file, const ImageHeader& header,
                  const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
