#include "images/geometry/resample_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace octavo::images {
namespace {

/// Rounds weights to multiples of 2^-14 that add up to 1: weight k is the rounded sum of the first k less that of the
/// first k - 1, so that no weight is off by more than one unit, however many there are.
void round_weights(const std::vector<double>& weights, std::int16_t* out) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
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
  const auto center_of = [&](std::int64_t output) { return begin + (static_cast<double>(output) + 0.5) * scale; };
  // The pixels whose centers are within the support, or the nearest one.
  const auto low_of = [&](std::int64_t output) {
    const auto low = static_cast<std::int64_t>(std::floor(center_of(output) - support + 0.5));
    return std::clamp<std::int64_t>(low, 0, input_count - 1);
  };
  const auto high_of = [&](std::int64_t output) {
    const auto high = static_cast<std::int64_t>(std::floor(center_of(output) + support + 0.5));
    return std::clamp<std::int64_t>(high, low_of(output) + 1, input_count);
  };

  tap_count_ = 1;
  for (std::int64_t i = 0; i < output_count; ++i) tap_count_ = std::max(tap_count_, high_of(i) - low_of(i));
  first_.resize(static_cast<std::size_t>(output_count));
  weights_.resize(static_cast<std::size_t>(output_count * tap_count_));
  std::vector<double> weights;
  for (std::int64_t i = 0; i < output_count; ++i) {
    const std::int64_t low = low_of(i), high = high_of(i);
    weights.clear();
    for (std::int64_t k = low; k < high; ++k) {
      weights.push_back(std::max(0.0, 1.0 - std::abs(static_cast<double>(k) + 0.5 - center_of(i)) / support));
    }
    const std::int64_t first = std::min(low, input_count - tap_count_);
    first_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(first);
    round_weights(weights, weights_.data() + i * tap_count_ + (low - first));
  }
}

}  // namespace octavo::images
