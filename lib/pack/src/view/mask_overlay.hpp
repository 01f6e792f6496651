// Masks drawn over images.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <octavo/mask_shares.hpp>
#include <octavo/sample.hpp>

namespace octavo::view {

/// The gray of pixels to ignore: diagonal stripes of black and white.
template <typename Integer>
std::uint8_t stripe_at(Integer x, Integer y) {
  return (x + y) / 2 % 2 == 0 ? 0 : 255;
}

/// The image in RGB, [3,H,W], tinted in the colors of its mask: class 0 leaves it as it is, other classes are half
/// transparent, and pixels to ignore have black and white stripes.
///
/// values  [C,H,W]; unless C is 3, the first channel is drawn in gray
/// mask    [H,W]
std::vector<std::uint8_t> overlaid(std::span<const std::uint8_t> values, const SampleShape& shape,
                                   std::span<const std::uint8_t> mask);

/// Calls `use(x, y, color)` for each pixel of the sign of a mask value in a legend, a square of `side` pixels on gray.
template <typename Use>
void draw_sign(int value, std::int64_t side, const Use& use) {
  for (std::int64_t y = 0; y < side; ++y) {
    for (std::int64_t x = 0; x < side; ++x) {
      const bool is_edge = x == 0 || y == 0 || x + 1 == side || y + 1 == side;
      if (value == kIgnoredMaskValue) {
        const std::uint8_t stripe = stripe_at(x, y);
        use(x, y, MaskColor{stripe, stripe, stripe});
      } else if (value != 0) {
        use(x, y, mask_color(value));
      } else if (is_edge) {  // an empty square
        use(x, y, MaskColor{192, 192, 192});
      }
    }
  }
}

}  // namespace octavo::view
