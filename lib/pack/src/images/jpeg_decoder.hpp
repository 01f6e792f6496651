// Decoding JPEG files by libjpeg.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The pixels of a JPEG file as stored, not yet turned: gray for one component, else RGB; CMYK and YCCK are turned into
/// RGB. `reduction` 1, 2, 4 or 8 decodes to a half, quarter or eighth of width and height, rounded up.
/// Throws FormatError with the reason only: damaged or cut data (decoders' warnings included), more than 100 scans,
/// a color model that is none of these, another size than `header` says.
Pixels decode_jpeg(std::span<const std::byte> file, const ImageHeader& header, int reduction);

}  // namespace octavo::images
