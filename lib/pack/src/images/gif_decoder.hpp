// Decoding the first frame of GIF files by giflib.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The first frame of a GIF file on its canvas: gray if its palette holds grays only, else RGB. What is transparent,
/// and what the frame leaves free, shows `background` (and a gray image becomes RGB if that is colored). Throws
/// FormatError with the reason only: damaged or cut data, a color number beyond the palette; Unavailable in a build
/// without giflib.
Pixels decode_gif(std::span<const std::byte> file, const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
