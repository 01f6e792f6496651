// Resizing single images and masks, as `octavo pack --size` does.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <octavo/pack.hpp>
#include <octavo/sample.hpp>

namespace octavo {

/// Resizes an image.
///
/// values      uint8 [C,H,W], C*H*W = shape.values(); C is 1 or 3
/// size        [H,W] of the result
/// background  RGB around an image that is padded
/// resized     uint8 [C,size[0],size[1]], written
/// Throws InvalidArgument if a size does not match, or is not 1 to 65535 on each side.
void resize_image(std::span<const std::uint8_t> values, const SampleShape& shape, std::array<std::int64_t, 2> size,
                  Fit fit, std::array<std::uint8_t, 3> background, std::span<std::uint8_t> resized);

/// Resizes a mask to the nearest pixel; around a padded one, it is 255.
///
/// values   uint8 [H,W], shape.values_per_channel() values
/// resized  uint8 [size[0],size[1]], written
/// Throws as resize_image() does.
void resize_mask(std::span<const std::uint8_t> values, const SampleShape& shape, std::array<std::int64_t, 2> size,
                 Fit fit, std::span<std::uint8_t> resized);

}  // namespace octavo
