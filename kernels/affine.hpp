// The affine map from a stored code to a model's input value, and how it is folded.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// y = fmaf(code, scale, shift). Aligned, so that a device loads both numbers with one instruction.
struct alignas(8) Affine {
  float scale;
  float shift;
};

/// Maps stored codes to source units: source = scale * (code + 128) + zero_point.
struct Quantization {
  double scale = 1.0;
  double zero_point = 0.0;
};

/// Maps one code to one value with a single rounding. Uses fmaf, because compilers differ in when they fuse `a * b +
/// c`.
OCTAVO_HOST_DEVICE inline float decode(float code, Affine map) { return fmaf(code, map.scale, map.shift); }
OCTAVO_HOST_DEVICE inline float decode(std::int8_t code, Affine map) { return decode(static_cast<float>(code), map); }

/// Folds dequantization, centering on `center` and division by `divisor` (both in source units) into one map.
/// Computes in double and rounds each of the two results once to float; see docs/numerics.md, "One multiply-add".
OCTAVO_HOST_DEVICE inline Affine fold(Quantization quantization, double center, double divisor) {
  return {static_cast<float>(quantization.scale / divisor),
          static_cast<float>(((128.0 * quantization.scale + quantization.zero_point) - center) / divisor)};
}

/// Returns the sum of source values over all channels. Each channel is given by the exact sum of its codes + 128 over
/// `values_per_channel` values. Adds in channel order, which is part of the contract. For the mean, divide by the
/// number of all values. Exact for uint8 sources as long as the sum stays below 2^53.
OCTAVO_HOST_DEVICE inline double pooled_sum(const std::int64_t* unsigned_code_sums, const Quantization* quantization,
                                            std::int64_t channel_count, std::int64_t values_per_channel) {
  double sum = 0.0;
  for (std::int64_t c = 0; c < channel_count; ++c) {
    sum += quantization[c].scale * static_cast<double>(unsigned_code_sums[c]) +
           quantization[c].zero_point * static_cast<double>(values_per_channel);
  }
  return sum;
}

}  // namespace octavo::kernels
