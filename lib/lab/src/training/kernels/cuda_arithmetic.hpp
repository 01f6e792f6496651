// The arithmetic of training on CUDA. Each launcher enqueues its work on `stream` and returns the error of the launch.
// All pointers in `args` are device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "training/kernels/arithmetic.hpp"

namespace octavo::training {

cudaError_t launch_add_bias(const BiasArgs& args, cudaStream_t stream);
cudaError_t launch_relu_gradient(const ReluGradientArgs& args, cudaStream_t stream);
cudaError_t launch_softmax(const SoftmaxArgs& args, cudaStream_t stream);
cudaError_t launch_momentum_step(const MomentumArgs& args, cudaStream_t stream);

}  // namespace octavo::training
