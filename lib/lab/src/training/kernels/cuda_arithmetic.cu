// The training kernels: one thread per number or row of logits, in grid-stride loops.
#include <algorithm>

#include "kernels/cuda/block/launch.cuh"
#include "training/kernels/cuda_arithmetic.hpp"

namespace octavo::training {
namespace {

using kernels::cuda::launch;

// Tuning constants. They follow from arithmetic (2048 threads per multiprocessor), not from a measurement.
constexpr std::int64_t kThreadsPerBlock = 256;
/// There are few rows of logits, and one thread per row: small blocks spread them over the multiprocessors.
constexpr std::int64_t kRowsPerBlock = 32;
/// 8 blocks of 256 threads fill a multiprocessor, and no device has more than 256 multiprocessors.
constexpr std::int64_t kMostBlocks = 8 * 256;

unsigned block_count(std::int64_t item_count, std::int64_t items_per_block) {
  return static_cast<unsigned>(std::min(kMostBlocks, (item_count + items_per_block - 1) / items_per_block));
}

__device__ std::int64_t first_item() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t item_stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

__global__ void __launch_bounds__(kThreadsPerBlock) add_biases(const BiasArgs args) {
  for (std::int64_t i = first_item(); i < args.row_count * args.width; i += item_stride()) {
    args.values[i] = add_bias(args.values[i], args.bias[i % args.width], args.relu);
  }
}

__global__ void __launch_bounds__(kThreadsPerBlock) relu_gradients(const ReluGradientArgs args) {
  for (std::int64_t i = first_item(); i < args.count; i += item_stride()) {
    args.gradients[i] = relu_gradient(args.activations[i], args.gradients[i]);
  }
}

__global__ void __launch_bounds__(kRowsPerBlock) softmax_rows(const SoftmaxArgs args) {
  for (std::int64_t b = first_item(); b < args.row_count; b += item_stride()) softmax_row(args, b);
}

__global__ void __launch_bounds__(kThreadsPerBlock) momentum_steps(const MomentumArgs args) {
  for (std::int64_t i = first_item(); i < args.count; i += item_stride()) momentum_step(args, i);
}

}  // namespace

cudaError_t launch_add_bias(const BiasArgs& args, cudaStream_t stream) {
  const std::int64_t count = args.row_count * args.width;
  if (count == 0) return cudaSuccess;
  return launch(add_biases, dim3(block_count(count, kThreadsPerBlock)), dim3(kThreadsPerBlock), stream, args);
}

cudaError_t launch_relu_gradient(const ReluGradientArgs& args, cudaStream_t stream) {
  if (args.count == 0) return cudaSuccess;
  return launch(relu_gradients, dim3(block_count(args.count, kThreadsPerBlock)), dim3(kThreadsPerBlock), stream, args);
}

cudaError_t launch_softmax(const SoftmaxArgs& args, cudaStream_t stream) {
  if (args.row_count == 0) return cudaSuccess;
  return launch(softmax_rows, dim3(block_count(args.row_count, kRowsPerBlock)), dim3(kRowsPerBlock), stream, args);
}

cudaError_t launch_momentum_step(const MomentumArgs& args, cudaStream_t stream) {
  if (args.count == 0) return cudaSuccess;
  return launch(momentum_steps, dim3(block_count(args.count, kThreadsPerBlock)), dim3(kThreadsPerBlock), stream, args);
}

}  // namespace octavo::training
