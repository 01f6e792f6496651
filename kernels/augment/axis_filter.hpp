// The weights for resizing an image along one axis, in integers (docs/numerics.md, "Resizing").
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Weights are multiples of 2^-14. Those of one output add up to 1, so that uniform areas stay uniform.
inline constexpr int kWeightBits = 14;
/// The format between the two axes: values of 0 to 255 in multiples of 2^-8.
inline constexpr int kBetweenBits = 8;

/// The most weights of a filter that resizes up to `count` pixels.
inline std::int64_t most_weights(std::int64_t count, std::int64_t out_count) {
  return 2 * (count > out_count ? count : out_count) + 2 * out_count;
}

/// Resizes `count` pixels to `out_count` with a triangle filter. Distances are in units of 1 / (2 * out_count) pixels,
/// in which all centers are whole numbers.
struct AxisFilter {
  std::int32_t count, out_count;
  bool antialias;  ///< the filter grows with the reduction; otherwise it spans two pixels

  /// Half the width of the filter.
  OCTAVO_HOST_DEVICE std::int64_t reach() const {
    return 2 * static_cast<std::int64_t>(antialias && count > out_count ? count : out_count);
  }
  /// The center of output `out`.
  OCTAVO_HOST_DEVICE std::int64_t center(std::int32_t out) const {
    return (2 * static_cast<std::int64_t>(out) + 1) * count;
  }
  /// The weight of pixel `k` before normalization; 0 beyond the filter.
  OCTAVO_HOST_DEVICE std::int64_t raw_weight(std::int32_t out, std::int32_t k) const {
    const std::int64_t distance = (2 * static_cast<std::int64_t>(k) + 1) * out_count - center(out);
    const std::int64_t weight = reach() - (distance < 0 ? -distance : distance);
    return weight < 0 ? 0 : weight;
  }
  /// The first pixel with a weight, and the end of the pixels with a weight.
  OCTAVO_HOST_DEVICE std::int32_t first(std::int32_t out) const {
    const std::int64_t below = center(out) - reach() - out_count;  // of pixel k: (2k + 1) * out_count > center - reach
    const std::int64_t step = 2 * static_cast<std::int64_t>(out_count);
    return below < 0 ? 0 : static_cast<std::int32_t>(below / step + 1);
  }
  OCTAVO_HOST_DEVICE std::int32_t end(std::int32_t out) const {
    const std::int64_t above = center(out) + reach() - out_count;
    const std::int64_t step = 2 * static_cast<std::int64_t>(out_count);
    const std::int64_t end = (above + step - 1) / step;
    return end > count ? count : static_cast<std::int32_t>(end);
  }
  /// The most pixels that make one output.
  OCTAVO_HOST_DEVICE std::int32_t most_taps() const {
    const std::int64_t taps = reach() / out_count + 1;
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
    return ((passed << (kWeightBits + 1)) + sum) / (2 * sum);
  }
};

}  // namespace octavo::kernels
