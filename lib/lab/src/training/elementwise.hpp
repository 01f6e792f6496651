// The elementwise operations of training on one device.
#pragma once

#include <memory>

#include <octavo/device.hpp>

#include "training/kernels/arithmetic.hpp"

namespace octavo::training {

/// Ordered on the stream given at construction. Pointers must be to memory of its device. Not thread-safe.
class Elementwise {
 public:
  virtual ~Elementwise() = default;

  virtual void add_bias(const BiasArgs& args) = 0;
  virtual void relu_gradient(const ReluGradientArgs& args) = 0;
  virtual void softmax(const SoftmaxArgs& args) = 0;
  virtual void momentum_step(const MomentumArgs& args) = 0;
};

/// Runs synchronously on the CPU, on all threads that this process may use.
std::unique_ptr<Elementwise> make_cpu_elementwise();

/// Runs on a CUDA device. Throws Unavailable if this build has no CUDA.
std::unique_ptr<Elementwise> make_cuda_elementwise(Device device, StreamRef stream);

}  // namespace octavo::training
