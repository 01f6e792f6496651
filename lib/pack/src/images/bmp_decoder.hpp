// Decoding BMP files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a BMP file: gray if its palette holds grays only, else RGB; palettes are looked up, bit fields of n
/// bits are spread over 0 ... 255, alpha that has a mask is composed over `background`. What run-length data leave out
/// has color 0. Throws FormatError with the reason only: cut data, a color number beyond the palette, runs beyond the
/// image.
Pixels decode_bmp(std::span<const std::byte> file, const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
