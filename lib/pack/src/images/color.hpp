// The color formulas, all in integer arithmetic (docs/conversions.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "images/pixels.hpp"

namespace octavo::images {

/// round(a * b / 255), halves up.
inline std::uint8_t multiply_255(int a, int b) { return static_cast<std::uint8_t>((2 * a * b + 255) / 510); }

/// 16 bits to 8: round(v / 257), exact for 0 and 65535.
inline std::uint8_t narrow_16(int value) { return static_cast<std::uint8_t>((value + 128) / 257); }

/// 0 ... `largest` to 8 bits: round(value * 255 / largest), halves up; equals narrow_16() if `largest` is 65535.
inline std::uint8_t narrow(int value, int largest) {
  return static_cast<std::uint8_t>((2 * 255 * value + largest) / (2 * largest));
}

/// ITU-R 601 luma in 16-bit fixed point, as Pillow computes it.
inline std::uint8_t luma(int red, int green, int blue) {
  return static_cast<std::uint8_t>((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
}

/// One color channel from its ink and the black ink (0: none, 255: full): the light that black leaves, less the ink's
/// share of it.
inline std::uint8_t ink_to_light(int ink, int black) {
  const int left = 255 - black;
  return static_cast<std::uint8_t>(left - multiply_255(ink, left));
}

/// `value` with opacity `alpha` over `background`: round((value * alpha + background * (255 - alpha)) / 255), halves
/// up.
inline std::uint8_t over(int value, int alpha, int background) {
  return static_cast<std::uint8_t>((2 * (value * alpha + background * (255 - alpha)) + 255) / 510);
}

/// The same for a premultiplied value.
inline std::uint8_t over_premultiplied(int value, int alpha, int background) {
  return static_cast<std::uint8_t>(std::min(255, value + multiply_255(background, 255 - alpha)));
}

inline bool is_gray(const std::array<std::uint8_t, 3>& rgb) { return rgb[0] == rgb[1] && rgb[1] == rgb[2]; }

/// The background for an image with `channels` channels: the color itself, or its luma.
inline std::array<std::uint8_t, 3> background_for(const std::array<std::uint8_t, 3>& rgb, std::int64_t channels) {
  if (channels == 3) return rgb;
  const std::uint8_t gray = luma(rgb[0], rgb[1], rgb[2]);
  return {gray, gray, gray};
}

/// Converts an RGB image to gray in place; leaves a gray one unchanged.
inline void make_gray(Pixels& image) {
  if (image.channels == 1) return;
  const std::int64_t pixels = image.width * image.height;
  for (std::int64_t i = 0; i < pixels; ++i) {
    const std::uint8_t* const rgb = image.values.data() + 3 * i;
    image.values[static_cast<std::size_t>(i)] = luma(rgb[0], rgb[1], rgb[2]);
  }
  image.channels = 1;
  image.values.resize(static_cast<std::size_t>(pixels));
}

}  // namespace octavo::images
