// Batches of logits, weights and gradients for tests, and reference results in plain double arithmetic.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "training/kernels/arithmetic.hpp"

namespace octavo::test {

/// `count` pseudorandom numbers between -1 and 1, including 0 and -0.
inline std::vector<float> numbers(std::size_t count, std::uint32_t seed = 1) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t mixed = (static_cast<std::uint32_t>(i) + seed) * 2654435761u;
    made[i] = i % 7 == 3 ? (i % 2 == 0 ? 0.0f : -0.0f) : static_cast<float>(mixed >> 8) / 8388608.0f - 1.0f;
  }
  return made;
}

/// Whether a float32 result agrees with double arithmetic except for rounding.
inline bool is_close(double actual, double expected, double relative = 1e-4, double absolute = 1e-6) {
  return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

/// A batch for the softmax, and buffers for its results.
struct SoftmaxData {
  std::int64_t B, K;
  std::vector<float> logits = numbers(static_cast<std::size_t>(B * K));
  std::vector<std::int32_t> labels = std::vector<std::int32_t>(static_cast<std::size_t>(B));
  std::vector<float> losses = std::vector<float>(static_cast<std::size_t>(B), -1.0f);
  std::vector<std::int32_t> hits = std::vector<std::int32_t>(static_cast<std::size_t>(B), -1);
  std::vector<float> gradients = std::vector<float>(static_cast<std::size_t>(B * K), -1.0f);

  SoftmaxData(std::int64_t row_count, std::int64_t class_count) : B(row_count), K(class_count) {
    for (std::size_t b = 0; b < labels.size(); ++b) labels[b] = static_cast<std::int32_t>(static_cast<long>(b) % K);
  }
  training::SoftmaxArgs args() {
    return {logits.data(), labels.data(), B, K, losses.data(), hits.data(), gradients.data()};
  }
  float logit(std::int64_t b, std::int64_t k) const { return logits[static_cast<std::size_t>(b * K + k)]; }
  /// exp(z_k) / sum exp(z), in double.
  double probability(std::int64_t b, std::int64_t k) const {
    double sum = 0.0;
    for (std::int64_t j = 0; j < K; ++j) sum += std::exp(static_cast<double>(logit(b, j)) - logit(b, k));
    return 1.0 / sum;
  }
};

}  // namespace octavo::test
