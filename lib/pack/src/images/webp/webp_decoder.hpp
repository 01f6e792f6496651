// Decodes WebP files with libwebp; of animations, the first frame.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The pixels of a WebP file as stored, before applying the orientation, always RGB. Alpha is composited over
/// options.background, which also fills the canvas outside an animation's first frame. Throws FormatError with the
/// reason only: damaged or truncated data, a size that differs from `header`; Unavailable in a build without libwebp.
Pixels decode_webp(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

}  // namespace octavo::images
