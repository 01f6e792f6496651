// The parts of training that are no matrix product, on one device.
#pragma once

#include <memory>

#include <octavo/device.hpp>

#include "kernels/training.hpp"

namespace octavo::training {

/// Ordered on the stream that it was made with; pointers are to memory of its device. Not thread-safe.
class Elementwise {
 public:
  virtual ~Elementwise() = default;

  virtual void add_bias(const kernels::BiasArgs& args) = 0;
  virtual void relu_gradient(const kernels::ReluGradientArgs& args) = 0;
  virtual void softmax(const kernels::SoftmaxArgs& args) = 0;
  virtual void momentum_step(const kernels::MomentumArgs& args) = 0;
};

/// On the CPU, on all threads that this process may use, at once.
std::unique_ptr<Elementwise> make_cpu_elementwise();

/// On a CUDA device. Throws Unavailable if this build has no CUDA.
std::unique_ptr<Elementwise> make_cuda_elementwise(Device device, StreamRef stream);

}  // namespace octavo::training
