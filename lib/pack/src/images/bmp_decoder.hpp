// Decoding BMP files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a BMP file: gray if its palette has only grays, else RGB. Palettes are applied, bit fields of n bits
/// are scaled to 0 ... 255, alpha with a mask is composited over `background`. Pixels that run-length data skips have
/// color 0. Throws FormatError with the reason only: truncated data, a color number beyond the palette, runs beyond the
/// image.
Pixels decode_bmp(std::span<const std::byte> file, const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
