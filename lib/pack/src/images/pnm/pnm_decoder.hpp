// Decoding PNM files: PBM, PGM, PPM and PAM.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The pixels of a PNM file's first image: gray, RGB, or the bands of a PAM file. Values 0 ... largest are scaled to 0
/// ... 255, PAM's alpha is composited over options.background (transparent gray becomes RGB if that is colored). Throws
/// FormatError with the reason only: truncated data, a value above the largest.
Pixels decode_pnm(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

/// The values of the same file as stored, in bitmaps 0 or 1; alpha is scaled to 8 bits.
DeepPixels decode_deep_pnm(std::span<const std::byte> file, const ImageHeader& header);

}  // namespace octavo::images
