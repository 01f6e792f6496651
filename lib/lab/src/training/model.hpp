// A softmax regression or a perceptron with one hidden layer, with the buffers for training.
#pragma once

#include <cstdint>
#include <vector>

#include "training/compute.hpp"
#include "training/model_layout.hpp"

namespace octavo::training {

/// A batch on the device, and the destinations of its results.
struct BatchTask {
  const float* images;         ///< [B, D]
  const std::int32_t* labels;  ///< [B]
  std::int64_t batch_count;    ///< B, at most the largest batch of the model
  float* losses;               ///< [B]
  std::int32_t* hits;          ///< [B]
};

/// Everything is enqueued on the stream of `compute`. Not thread-safe.
class Model {
 public:
  /// `compute` must outlive the model.
  Model(Compute& compute, const ModelShape& shape, std::int64_t largest_batch, std::uint64_t seed);

  /// Computes losses and hits of a batch, then takes one step of gradient descent on its mean loss.
  void train(const BatchTask& batch, float learning_rate, float momentum);
  /// Computes losses and hits of a batch.
  void evaluate(const BatchTask& batch);

  std::int64_t device_bytes() const { return static_cast<std::int64_t>(block_.bytes()); }

  // For tests. Both wait for the device.
  std::vector<float> weights() const { return download(layout_.weights); }
  std::vector<float> gradients() const { return download(layout_.gradients); }
  const ModelLayout& layout() const { return layout_; }

 private:
  float* at(std::int64_t place) const { return block_.as<float>() + place; }
  void upload(std::int64_t place, const std::vector<float>& numbers);
  std::vector<float> download(std::int64_t place) const;
  void forward(const BatchTask& batch);
  void compare(const BatchTask& batch, bool with_gradients);
  void backward(const BatchTask& batch);
  void pass_gradient_down(std::size_t layer, std::int64_t batch_count);
  void descend(float learning_rate, float momentum);

  Compute& compute_;
  ModelLayout layout_;
  backend::DeviceBuffer block_;
  backend::FinishAtEnd finish_at_end_;
};

}  // namespace octavo::training
