// Composites pixels with alpha over the background.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "images/color.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The number of channels after compositing: transparent gray over a colored background becomes RGB.
inline std::int64_t channels_over(std::int64_t colors, bool has_alpha, const std::array<std::uint8_t, 3>& background) {
  return has_alpha && !is_gray(background) ? 3 : colors;
}

/// Composites one pixel, `colors` (1 or 3) values with opacity `alpha`, over the background; writes `channels` values.
inline void put_over(const std::uint8_t* color, std::int64_t colors, int alpha,
                     const std::array<std::uint8_t, 3>& background, std::int64_t channels, std::uint8_t* to) {
  for (std::int64_t i = 0; i < channels; ++i) {
    to[i] = over(color[std::min(i, colors - 1)], alpha, background[static_cast<std::size_t>(i)]);
  }
}

/// Fills the image with the background.
inline void fill_with(const std::array<std::uint8_t, 3>& background, Pixels& image) {
  const auto channels = static_cast<std::size_t>(image.channels);
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = background[i % channels];
}

}  // namespace octavo::images
