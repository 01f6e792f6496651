// Decoding BMP files.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The pixels of a BMP file: gray if its palette has only grays, else RGB. Palettes are applied, bit fields of n bits
/// are scaled to 0 ... 255, alpha with a mask is composited over options.background. Pixels that run-length data skips
/// have color 0. Throws FormatError with the reason only: truncated data, a color number beyond the palette, runs
/// beyond the image.
Pixels decode_bmp(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

}  // namespace octavo::images
