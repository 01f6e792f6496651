// Reads size, color, frames and orientation from the chunks of a PNG file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "images/file_bytes.hpp"
#include "images/image_header.hpp"

namespace octavo::images {

inline constexpr std::array<std::uint8_t, 8> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

/// Size, color and orientation of a PNG file. A palette counts as color. As in Pillow, the orientation is that of the
/// last eXIf chunk or, if that has none, of the last XMP packet. Throws FormatError, with the reason only, if the
/// header chunk is not at the beginning or its color type or depth is unknown; IoError.
ImageHeader parse_png_header(const FileBytes& file);

}  // namespace octavo::images
