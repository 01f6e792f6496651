// The header chunk of a PNG file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "images/image_header.hpp"

namespace octavo::images {

inline constexpr std::array<std::uint8_t, 8> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

/// Size and color of the PNG file that begins with `bytes`; nullopt if they end before its header chunk does. A
/// palette counts as color. Throws FormatError, with the reason only, if the header chunk is not at the beginning or
/// its color type or depth is unknown.
std::optional<ImageHeader> parse_png_header(std::span<const std::byte> bytes);

}  // namespace octavo::images
