// Decodes the first frame of GIF files with giflib.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The first frame of a GIF file on its canvas: gray if its palette has only grays, else RGB. Transparent pixels, and
/// those outside the frame, show options.background (a gray image becomes RGB if that is colored). Throws FormatError
/// with the reason only: damaged or truncated data, a color number beyond the palette; Unavailable in a build without
/// giflib.
Pixels decode_gif(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

}  // namespace octavo::images
