// From the bytes of an image file to a sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <octavo/pack.hpp>
#include <octavo/sample.hpp>

#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// What an image is to become.
struct Target {
  SampleShape shape;        ///< C is 1 or 3
  bool may_resize = false;  ///< otherwise an image of another size is refused
  Fit fit = Fit::crop;
  std::array<std::uint8_t, 3> background = {0, 0, 0};
};

/// Decodes a whole image file, upright, gray or RGB, at its full size. Throws FormatError, with the reason only, or
/// Unavailable if this build lacks the format's library.
Pixels decode(std::span<const std::byte> file, const Limits& limits, const std::array<std::uint8_t, 3>& background);

/// Decodes a whole image file into `values`, uint8 [C,H,W], as `target` wants it. A JPEG that stays at least
/// twice as large as the target is decoded at a half, quarter or eighth of its size. Throws as
/// decode() does.
void read_sample(std::span<const std::byte> file, const Limits& limits, const Target& target,
                 std::span<std::uint8_t> values);

/// Brings decoded pixels of a whole image into `values`, uint8 [C,H,W], as `target` wants them: gray or RGB first, then
/// resized, then placed on the background.
void fill_sample(Pixels image, const Target& target, std::span<std::uint8_t> values);

}  // namespace octavo::images
