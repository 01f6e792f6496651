#include "view/mask_overlay.hpp"

#include <cstddef>

namespace octavo::view {
namespace {

std::uint8_t half_of(int a, int b) { return static_cast<std::uint8_t>((a + b + 1) / 2); }

}  // namespace

std::vector<std::uint8_t> overlaid(std::span<const std::uint8_t> values, const SampleShape& shape,
                                   std::span<const std::uint8_t> mask) {
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  const auto width = static_cast<std::size_t>(shape.width);
  std::vector<std::uint8_t> drawn(3 * plane);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint8_t* const channel = values.data() + (shape.channels == 3 ? c * plane : 0);
    for (std::size_t i = 0; i < plane; ++i) {
      int color = channel[i];
      if (mask[i] == kIgnoredMaskValue) {
        color = half_of(color, stripe_at(i % width, i / width));
      } else if (mask[i] != 0) {
        color = half_of(color, mask_color(mask[i])[c]);
      }
      drawn[c * plane + i] = static_cast<std::uint8_t>(color);
    }
  }
  return drawn;
}

}  // namespace octavo::view
