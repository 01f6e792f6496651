// Decoding images of one format, as the packer does.
#pragma once

#include "fuzz_target.hpp"
#include "image/image_reader.hpp"

namespace octavo::fuzz {

/// Small, so that runs are fast; the real limit bounds memory in the same way.
inline constexpr image::Limits kSmallImages = {.largest_pixels = 1 << 16};

/// Decodes a file of `format`, and checks that its pixels are what its header says; leaves other files alone.
inline int decode_format(Bytes file, image::Format format) {
  return refuse_or_read([&] {
    const auto header = image::parse_header(file, true);
    if (!header || header->format != format) return;
    const image::Pixels pixels = image::decode(file, kSmallImages, {1, 2, 3});
    // Transparent gray over a coloured background is RGB.
    const bool is_as_said = pixels.width == header->width && pixels.height == header->height &&
                            (pixels.channels == header->channels || pixels.channels == 3);
    if (!is_as_said) __builtin_trap();
  });
}

}  // namespace octavo::fuzz
