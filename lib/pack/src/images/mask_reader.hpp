// Turns the bytes of an image file into the mask of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <octavo/mask_colors.hpp>

#include "images/image_header.hpp"
#include "images/image_reader.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// Decodes a mask, upright: one channel of values as stored, which of a palette are its indices. Gray that is stored as
/// RGB counts as one channel. Throws FormatError, with the reason only: not PNG, TIFF or PNM; colors, transparency or
/// 16 bits.
Pixels decode_mask(std::span<const std::byte> file, const ImageHeader& header);

/// Decodes a mask whose colors stand for classes, upright: one channel of class numbers. Palettes are applied, gray is
/// RGB with equal parts, and transparent pixels are black. Throws FormatError, with the reason only: a format that may
/// be lossy, more than 8 bits, or a color that is not in `colors`.
Pixels decode_mask_colors(std::span<const std::byte> file, const ImageHeader& header, const MaskColors& colors);

/// Converts a mask, uint8 [height,width], to `target` in `values`, uint8 [H,W], like its image, with nearest pixels.
/// Around the mask of a padded image is kIgnoredMaskValue.
void fill_mask(std::span<const std::uint8_t> mask, std::int64_t height, std::int64_t width, const Target& target,
               std::span<std::uint8_t> values);

}  // namespace octavo::images
