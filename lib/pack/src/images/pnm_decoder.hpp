// Decoding PNM files: PBM, PGM, PPM and PAM.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a PNM file's first image: gray for one channel, else RGB. Values 0 ... largest are scaled to 0 ...
/// 255, PAM's alpha is composited over `background` (transparent gray becomes RGB if that is colored). Throws
/// FormatError with the reason only: truncated data, a value above the largest.
Pixels decode_pnm(std::span<const std::byte> file, const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
