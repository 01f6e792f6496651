// Decoding PNM files: PBM, PGM, PPM and PAM.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a PNM file's first image: gray for one channel, else RGB; values 0 ... largest are spread over
/// 0 ... 255, PAM's alpha is composed over `background` (and transparent gray becomes RGB if that is colored). Throws
/// FormatError with the reason only: cut data, a value above the largest.
Pixels decode_pnm(std::span<const std::byte> file, const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
