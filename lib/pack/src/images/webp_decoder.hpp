// Decoding WebP files, of animations the first frame, by libwebp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a WebP file as stored, not yet turned, always RGB: alpha is composed over `background`, which also
/// shows where an animation's first frame leaves the canvas free. Throws FormatError with the reason only: damaged or
/// cut data, another size than `header` says; Unavailable in a build without libwebp.
Pixels decode_webp(std::span<const std::byte> file, const ImageHeader& header,
                   const std::array<std::uint8_t, 3>& background);

}  // namespace octavo::images
