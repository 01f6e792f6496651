// The weights for resizing an image along one axis, in integers (docs/numerics.md, "Resizing").
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Weights are multiples of 2^-14. Those of one output add up to 1, so that uniform areas stay uniform. Cubic filters
/// have negative weights, which add up to more than -0.14.
inline constexpr int kWeightBits = 14;
/// The format of values between the two axes: (value + bias) * 2^bits is a uint16. Cubic filters go beyond the range of
/// levels, by less than 35.
struct BetweenFormat {
  int bits;
  std::int32_t bias;

  /// What a pass adds to a sum of weight * value, and then shifts it by: the first pass to this format, the second one
  /// from it to levels. Both round to nearest, halves up.
  OCTAVO_HOST_DEVICE constexpr int first_shift() const { return kWeightBits - bits; }
  OCTAVO_HOST_DEVICE constexpr std::int32_t first_start() const {
    return (1 << (first_shift() - 1)) + (bias << kWeightBits);
  }
  OCTAVO_HOST_DEVICE constexpr int second_shift() const { return kWeightBits + bits; }
  OCTAVO_HOST_DEVICE constexpr std::int32_t second_start() const {
    return (1 << (second_shift() - 1)) - (bias << second_shift());
  }
};
OCTAVO_HOST_DEVICE constexpr BetweenFormat between_format(bool is_cubic) {
  return is_cubic ? BetweenFormat{7, 64} : BetweenFormat{8, 0};
}

/// The level of a sum of the second pass. Negative weights may take it out of range.
OCTAVO_HOST_DEVICE inline std::uint8_t blended_level_of(std::int32_t sum, int shift) {
  const std::int32_t level = sum >> shift;
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > UINT8_MAX ? UINT8_MAX : level);
}

/// The most weights of a filter that resizes up to `count` pixels.
inline std::int64_t most_weights(std::int64_t count, std::int64_t out_count, bool is_cubic) {
  return (is_cubic ? 4 : 2) * (count > out_count ? count : out_count) + 2 * out_count;
}

/// Resizes `count` pixels to `out_count` with a triangle filter or a cubic one. Distances are in units of
/// 1 / (2 * out_count) pixels, in which all centers are whole numbers.
struct AxisFilter {
  std::int32_t count, out_count;
  bool antialias;  ///< the filter grows with the reduction; otherwise it spans two pixels, or four
  bool is_cubic;   ///< the cubic convolution of R. Keys (1981) with a = -1/2, as in Pillow

  /// The distance at which a triangle ends, and a cubic filter changes its sign.
  OCTAVO_HOST_DEVICE std::int64_t reach() const {
    return 2 * static_cast<std::int64_t>(antialias && count > out_count ? count : out_count);
  }
  /// Half the width of the filter.
  OCTAVO_HOST_DEVICE std::int64_t support() const { return is_cubic ? 2 * reach() : reach(); }
  /// The center of output `out`.
  OCTAVO_HOST_DEVICE std::int64_t center(std::int32_t out) const {
    return (2 * static_cast<std::int64_t>(out) + 1) * count;
  }
  /// The weight of pixel `k` before normalization; 0 beyond the filter.
  OCTAVO_HOST_DEVICE std::int64_t raw_weight(std::int32_t out, std::int32_t k) const {
    const std::int64_t offset = (2 * static_cast<std::int64_t>(k) + 1) * out_count - center(out);
    const std::int64_t distance = offset < 0 ? -offset : offset;
    if (distance >= support()) return 0;
    if (!is_cubic) return reach() - distance;
    // In multiples of 2^-16 of the reach.
    const std::int64_t t = distance * ((std::int64_t{1} << 40) / reach()) >> 24;
    const std::int64_t square = t * t, cube = square * t;
    const std::int64_t value = t < 1 << 16 ? 3 * cube - (5 * square << 16) + (std::int64_t{2} << 48)
                                           : (5 * square << 16) - cube - (t << 35) + (std::int64_t{4} << 48);
    return value >> 33;
  }
  /// The first pixel with a weight, and the end of the pixels with a weight.
  OCTAVO_HOST_DEVICE std::int32_t first(std::int32_t out) const {
    // Of pixel k: (2k + 1) * out_count > center - support.
    const std::int64_t below = center(out) - support() - out_count;
    const std::int64_t step = 2 * static_cast<std::int64_t>(out_count);
    return below < 0 ? 0 : static_cast<std::int32_t>(below / step + 1);
  }
  OCTAVO_HOST_DEVICE std::int32_t end(std::int32_t out) const {
    const std::int64_t above = center(out) + support() - out_count;
    const std::int64_t step = 2 * static_cast<std::int64_t>(out_count);
    const std::int64_t end = (above + step - 1) / step;
    return end > count ? count : static_cast<std::int32_t>(end);
  }
  /// The most pixels that make one output.
  OCTAVO_HOST_DEVICE std::int32_t most_taps() const {
    // Centers of pixels are 2 * out_count apart, and the filter is 2 * support() wide, without its ends.
    const std::int64_t taps = (support() + out_count - 1) / out_count;
    return taps > count ? count : static_cast<std::int32_t>(taps);
  }

  /// Calls visit(pixel, weight) for the pixels of output `out`. Weight k is the rounded sum of the first k raw weights
  /// less that of the first k - 1, so that no weight is off by more than one unit.
  template <typename Visit>
  OCTAVO_HOST_DEVICE void for_weights(std::int32_t out, const Visit& visit) const {
    const std::int32_t from = first(out), to = end(out);
    std::int64_t sum = 0, passed = 0, given = 0;
    for (std::int32_t k = from; k < to; ++k) sum += raw_weight(out, k);
    for (std::int32_t k = from; k < to; ++k) {
      passed += raw_weight(out, k);
      const std::int64_t due = rounded_share(passed, sum);
      visit(k, static_cast<std::int32_t>(due - given));
      given = due;
    }
  }
  /// The weight of one pixel of output `out`.
  OCTAVO_HOST_DEVICE std::int32_t weight(std::int32_t out, std::int32_t pixel) const {
    const std::int32_t to = end(out);
    std::int64_t sum = 0, before = 0;
    for (std::int32_t k = first(out); k < to; ++k) {
      if (k < pixel) before += raw_weight(out, k);
      sum += raw_weight(out, k);
    }
    return static_cast<std::int32_t>(rounded_share(before + raw_weight(out, pixel), sum) - rounded_share(before, sum));
  }

 private:
  /// passed / sum in multiples of 2^-kWeightBits, rounded to nearest, halves up.
  OCTAVO_HOST_DEVICE static std::int64_t rounded_share(std::int64_t passed, std::int64_t sum) {
    const std::int64_t doubled = (passed << (kWeightBits + 1)) + sum;
    const std::int64_t rounded = doubled / (2 * sum);
    return rounded * (2 * sum) > doubled ? rounded - 1 : rounded;
  }
};

}  // namespace octavo::kernels
