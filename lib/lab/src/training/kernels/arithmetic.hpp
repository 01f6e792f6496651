// The arithmetic of training small models, except matrix products: biases, ReLU, softmax cross-entropy, momentum.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace octavo::training {

/// Adds a bias to each row. Here and below: borrowed pointers, in memory of the device that runs the kernel.
struct BiasArgs {
  float* values;           ///< [row_count, width], changed in place
  const float* bias;       ///< [width]
  std::int64_t row_count;  ///< B
  std::int64_t width;
  bool relu;  ///< whether to set negative values to 0 afterwards
};

/// Propagates a gradient back through a ReLU.
struct ReluGradientArgs {
  const float* activations;  ///< [count], output of the ReLU
  float* gradients;          ///< [count], changed in place
  std::int64_t count;
};

/// Softmax and cross-entropy of a batch.
struct SoftmaxArgs {
  const float* logits;         ///< [row_count, class_count]
  const std::int32_t* labels;  ///< [row_count]
  std::int64_t row_count;      ///< B
  std::int64_t class_count;    ///< K, at least 1
  float* losses;               ///< [row_count], written
  std::int32_t* hits;          ///< [row_count], written: 1 if the first largest logit is the label's, else 0
  float* gradients;            ///< [row_count, class_count], written: gradients of the mean loss; or null
};

/// One step of gradient descent with momentum.
struct MomentumArgs {
  float* weights;          ///< [count], changed
  float* velocities;       ///< [count], changed
  const float* gradients;  ///< [count]
  std::int64_t count;
  float learning_rate;
  float momentum;
};

/// max(value + bias, 0) or value + bias. A NaN stays a NaN.
OCTAVO_HOST_DEVICE inline float add_bias(float value, float bias, bool relu) {
  const float sum = value + bias;
  return relu && sum < 0.0f ? 0.0f : sum;
}

OCTAVO_HOST_DEVICE inline float relu_gradient(float activation, float gradient) {
  return activation > 0.0f ? gradient : 0.0f;
}

/// The index of the first largest value in `logits`.
OCTAVO_HOST_DEVICE inline std::int64_t first_largest(const float* logits, std::int64_t class_count) {
  std::int64_t largest = 0;
  for (std::int64_t k = 1; k < class_count; ++k) {
    if (logits[k] > logits[largest]) largest = k;
  }
  return largest;
}

/// Row `b`: loss = log(sum_k exp(z_k - m)) - (z_label - m), with m the largest logit to avoid overflow;
/// gradient_k = (exp(z_k - m) / sum - [k == label]) / B. An invalid label gives a loss of NaN and no hit.
OCTAVO_HOST_DEVICE inline void softmax_row(const SoftmaxArgs& args, std::int64_t b) {
  const std::int64_t K = args.class_count;
  const float* logits = args.logits + b * K;
  const std::int64_t label = args.labels[b];
  const std::int64_t largest = first_largest(logits, K);
  float sum = 0.0f;
  for (std::int64_t k = 0; k < K; ++k) sum += expf(logits[k] - logits[largest]);
  const bool is_class = label >= 0 && label < K;
  args.losses[b] = is_class ? logf(sum) - (logits[label] - logits[largest]) : NAN;
  args.hits[b] = largest == label ? 1 : 0;
  if (args.gradients == nullptr) return;
  for (std::int64_t k = 0; k < K; ++k) {
    const float probability = expf(logits[k] - logits[largest]) / sum;
    args.gradients[b * K + k] = (probability - (k == label ? 1.0f : 0.0f)) / static_cast<float>(args.row_count);
  }
}

/// v = mu v + g; w = w - lr v.
OCTAVO_HOST_DEVICE inline void momentum_step(const MomentumArgs& args, std::int64_t i) {
  const float velocity = fmaf(args.momentum, args.velocities[i], args.gradients[i]);
  args.velocities[i] = velocity;
  args.weights[i] = fmaf(-args.learning_rate, velocity, args.weights[i]);
}

}  // namespace octavo::training
