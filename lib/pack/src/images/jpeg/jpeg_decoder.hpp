// Decodes JPEG files with libjpeg.
#pragma once

#include <cstddef>
#include <span>

#include "images/image_codec.hpp"

namespace octavo::images {

/// The pixels of a JPEG file as stored, before applying the orientation: gray for one component, else RGB; inverted
/// CMYK and YCCK are converted to RGB. Reduced by options.reduction. Throws FormatError with the reason only: damaged
/// or truncated data (including decoder warnings, unless no pixel is affected), more than 100 scans, another color
/// model, a size that differs from `header`.
Pixels decode_jpeg(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options);

}  // namespace octavo::images
