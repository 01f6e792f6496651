// The weights for resizing an image along one axis.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/image/resample.hpp"

namespace octavo::images {

/// A triangle filter whose support grows with the reduction (antialiased bilinear), cut off at the edges, like Pillow's
/// BILINEAR.
class ResampleFilter {
 public:
  /// Resizes [begin, begin + length) of `input_count` pixels to `output_count` pixels; the edges may be between pixels.
  /// All counts are at least 1. Throws std::bad_alloc.
  ResampleFilter(double begin, double length, std::int64_t input_count, std::int64_t output_count);

  /// A view of this filter, valid during its lifetime.
  kernels::cpu::ResampleAxis axis() const { return {first_.data(), weights_.data(), std::ssize(first_), tap_count_}; }

 private:
  std::int64_t tap_count_;
  std::vector<std::int32_t> first_;
  std::vector<std::int16_t> weights_;
};

}  // namespace octavo::images
