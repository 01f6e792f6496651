// Changes of color, in integers (docs/numerics.md, "Color"). A level is a stored value, 0 to 255: a code plus 128.
#pragma once

#include <cstdint>

#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Factors are multiples of 2^-kFactorBits below 8, so that products fit in SIMD lanes of 16 bits.
inline constexpr int kFactorBits = 12;
inline constexpr double kFactorLimit = 8.0;
OCTAVO_HOST_DEVICE inline std::int32_t fixed_factor(double factor) {
  return static_cast<std::int32_t>(::floor(factor * (1 << kFactorBits) + 0.5));
}

OCTAVO_HOST_DEVICE inline std::int32_t clamped_level(std::int32_t level) {
  return level < 0 ? 0 : level > 255 ? 255 : level;
}

/// base + (level - base) * factor, rounded down and clamped.
OCTAVO_HOST_DEVICE inline std::int32_t blended_level(std::int32_t level, std::int32_t base, std::int32_t factor) {
  return clamped_level(base + (((level - base) * factor) >> kFactorBits));
}

/// Red, green and blue.
struct Rgb {
  std::int32_t r, g, b;
};

/// The weights of the luma of ITU-R BT.601 in multiples of 2^-15.
inline constexpr std::int32_t kLumaRed = 9798, kLumaGreen = 19235, kLumaBlue = 3735;
inline constexpr int kLumaBits = 15;
OCTAVO_HOST_DEVICE inline std::int32_t luma_of(const Rgb& pixel) {
  return (kLumaRed * pixel.r + kLumaGreen * pixel.g + kLumaBlue * pixel.b + (1 << (kLumaBits - 1))) >> kLumaBits;
}

/// Hues are multiples of 2^-12 of a sixth of a turn.
OCTAVO_HOST_DEVICE inline std::int32_t fixed_hue(double turns) {
  const auto hue = static_cast<std::int32_t>(::floor(turns * kHueTurn + 0.5));
  return hue < 0 ? hue + kHueTurn : hue >= kHueTurn ? hue - kHueTurn : hue;
}

/// A pixel of another hue; its largest and its smallest level stay. In multiples of chroma / 16, a turn is 96, red is
/// at 0, green at 32 and blue at 64. `hue` is in [0, kHueTurn).
OCTAVO_HOST_DEVICE inline Rgb with_hue_added(const Rgb& pixel, std::int32_t hue) {
  const std::int32_t high_rg = pixel.r > pixel.g ? pixel.r : pixel.g, low_rg = pixel.r > pixel.g ? pixel.g : pixel.r;
  const std::int32_t high = high_rg > pixel.b ? high_rg : pixel.b, low = low_rg < pixel.b ? low_rg : pixel.b;
  const std::int32_t chroma = high - low, turn = 96 * chroma, sector = 16 * chroma;
  std::int32_t at = high == pixel.r   ? 16 * (pixel.g - pixel.b)
                    : high == pixel.g ? 32 * chroma + 16 * (pixel.b - pixel.r)
                                      : 64 * chroma + 16 * (pixel.r - pixel.g);
  if (at < 0) at += turn;
  at += (hue * chroma) >> 8;
  if (at >= turn) at -= turn;
  const auto distance = [at](std::int32_t from) { return at < from ? from - at : at - from; };
  const auto level = [low, sector](std::int32_t part) {
    return low + (((part < 0 ? 0 : part > sector ? sector : part) + 8) >> 4);
  };
  return {level(distance(3 * sector) - sector), level(2 * sector - distance(2 * sector)),
          level(2 * sector - distance(4 * sector))};
}

/// The mean of the 3x3 pixels around one, which counts five times, rounded to nearest.
OCTAVO_HOST_DEVICE inline std::int32_t smoothed_level(std::int32_t sum_of_nine, std::int32_t level) {
  return (sum_of_nine + 4 * level + 6) / 13;
}

/// 255 * (level / 255)^power, rounded to nearest.
OCTAVO_HOST_DEVICE inline std::int32_t level_to_power(std::int32_t level, double power) {
  if (level == 0) return 0;
  const double log = exact_log2(static_cast<double>(level) / 255.0);
  const double exponent = power * log;
  // Smaller powers are 0, and exact_exp2() does not take them.
  return exponent < -64.0 ? 0 : static_cast<std::int32_t>(::floor(255.0 * exact_exp2(exponent) + 0.5));
}

/// The levels of a channel after a change that depends on its histogram.
struct StretchedLevels {
  std::int32_t low, high;  ///< the lowest and the highest level

  OCTAVO_HOST_DEVICE std::int32_t level(std::int32_t from) const {
    return high == low ? from : clamped_level((from - low) * 255 / (high - low));
  }
};

/// What level `from` becomes when the histogram of its channel is flattened. Of the `pixels` pixels of the channel,
/// `top_count` have the highest level, and `below` are darker than `from`.
OCTAVO_HOST_DEVICE inline std::int32_t equalized_level(std::int32_t from, std::int64_t pixels, std::int64_t top_count,
                                                       std::int64_t below) {
  const std::int64_t step = (pixels - top_count) / 255;
  if (step == 0) return from;
  const std::int64_t level = (below + step / 2) / step;
  return level > 255 ? 255 : static_cast<std::int32_t>(level);
}

}  // namespace octavo::kernels
