// Decodes the first page of TIFF files with libtiff.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The pixels of a TIFF file's first page as stored, before applying the orientation. Supports unsigned values of 1 to
/// 16 bits, in strips or tiles, interleaved or in planes; gray, RGB, palette, CMYK, YCbCr and bands. Values of n bits
/// are scaled to 0 ... 255, alpha is composited over options.background (transparent gray becomes RGB if that is
/// colored). Throws FormatError with the reason only: damaged or truncated data (including decoder warnings), an
/// unsupported form, a size or color that differs from `header`; Unavailable in a build without libtiff.
Pixels decode_tiff(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

/// The values of the same file as stored: gray, RGB, bands or the indices of a palette; unsigned with 1 to 16 bits,
/// signed with 16, or float32. If white is stored as 0, the largest value minus the stored ones. Alpha is scaled to 8
/// bits; premultiplied colors are divided by it.
DeepPixels decode_deep_tiff(std::span<const std::byte> file, const ImageHeader& header);

}  // namespace octavo::images
