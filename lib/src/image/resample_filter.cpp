#include "image/resample_filter.hpp"

#include <algorithm>
#include <cmath>

namespace octavo::image {
namespace {

/// Multiples of 2^-14 that add up to 1: what the sum of the first k is rounded to, less that of the first k - 1, so
/// that none is off by more than one however many there are.
void round_weights(const std::vector<double>& weights, double sum, std::int16_t* out) {
  double passed = 0.0;
  std::int32_t given = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    passed += weights[k];
    const auto due = static_cast<std::int32_t>(std::floor(passed / sum * (1 << kernels::cpu::kWeightBits) + 0.5));
    out[k] = static_cast<std::int16_t>(due - given);
    given = due;
  }
}

}  // namespace

ResampleFilter::ResampleFilter(double begin, double length, std::int64_t input_count, std::int64_t output_count) {
  const double scale = length / static_cast<double>(output_count);
  const double support = std::max(scale, 1.0);
  tap_count_ = std::min(input_count, 2 * static_cast<std::int64_t>(std::ceil(support)) + 1);
  first_.resize(static_cast<std::size_t>(output_count));
  weights_.resize(static_cast<std::size_t>(output_count * tap_count_));
  std::vector<double> weights;
  for (std::int64_t i = 0; i < output_count; ++i) {
    const double centre = begin + (static_cast<double>(i) + 0.5) * scale;
    const auto low = std::clamp<std::int64_t>(std::llround(std::floor(centre - support + 0.5)), 0, input_count - 1);
    const auto high = std::clamp<std::int64_t>(std::llround(std::floor(centre + support + 0.5)), low + 1, input_count);
    weights.clear();
    double sum = 0.0;
    for (std::int64_t k = low; k < std::min(high, low + tap_count_); ++k) {
      weights.push_back(std::max(0.0, 1.0 - std::abs(static_cast<double>(k) + 0.5 - centre) / support));
      sum += weights.back();
    }
    const std::int64_t first = std::min(low, input_count - tap_count_);
    first_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(first);
    round_weights(weights, sum, weights_.data() + i * tap_count_ + (low - first));
  }
}

}  // namespace octavo::image
