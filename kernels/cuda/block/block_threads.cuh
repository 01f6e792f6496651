// The threads of a block as a policy (kernels/thread_group.hpp).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace octavo::kernels::cuda {

/// All threads of a block, which has one dimension.
struct BlockThreads {
  __device__ static std::int64_t index() { return threadIdx.x; }
  __device__ static std::int64_t count() { return blockDim.x; }
  __device__ static void wait() { __syncthreads(); }
  template <typename Number>
  __device__ static void add(Number& sum, Number number) {
    atomicAdd(&sum, number);
  }
};

}  // namespace octavo::kernels::cuda
