// Decodes PNG files with libpng.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The pixels of a PNG file: gray has one channel, everything else is RGB. Palettes are applied, 1, 2 and 4 bits are
/// scaled to 0 ... 255, 16 bits are reduced to 8, transparency is composited over options.background (transparent gray
/// becomes RGB if that is colored). Gamma, color profiles and orientation are ignored. Throws FormatError with the
/// reason only: damaged or truncated data, a wrong CRC in any chunk.
Pixels decode_png(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

/// The 16-bit values of the same file as stored; alpha is reduced to 8 bits.
DeepPixels decode_deep_png(std::span<const std::byte> file, const ImageHeader& header);

/// The same file as a mask: the gray values, or the indices of the palette, as they are stored; RGB has three channels.
/// Opaque alpha is dropped. Also throws FormatError for more than 8 bits, and for transparent pixels.
Pixels decode_png_mask(std::span<const std::byte> file, const ImageHeader& header);

}  // namespace octavo::images
