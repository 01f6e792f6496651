// A thin stand-in for CUDA's header: compiles kernels for the host, and runs every thread of every block.
//
// Threads of a block are fibers of one host thread: each runs until its next barrier, so barriers and warp shuffles
// work as on a device, in one fixed order. Blocks run one after another. Memory is the host's: a sanitizer sees every
// access of every thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct uint3 {
  unsigned x, y, z;
};

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInvalidConfiguration = 9 };
struct CUstream_st;
using cudaStream_t = CUstream_st*;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

namespace cuda_shim {

/// Where the running fiber is.
extern uint3 block_index, thread_index;
extern dim3 grid_size, block_size;

/// Waits until every fiber of the block that has not ended is here.
void barrier();

/// 64 bits that each fiber of the block can leave for the others.
std::uint64_t& exchange_slot(unsigned thread);

/// Runs `thread_body` as every thread of the grid.
cudaError_t run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread_body);

}  // namespace cuda_shim

inline const uint3& blockIdx = cuda_shim::block_index;
inline const uint3& threadIdx = cuda_shim::thread_index;
inline const dim3& gridDim = cuda_shim::grid_size;
inline const dim3& blockDim = cuda_shim::block_size;

inline void __syncthreads() { cuda_shim::barrier(); }

template <typename T>
T __shfl_down_sync(unsigned, T value, int distance) {
  static_assert(sizeof(T) == sizeof(std::uint64_t));
  const unsigned thread = cuda_shim::thread_index.x;
  cuda_shim::exchange_slot(thread) = static_cast<std::uint64_t>(value);
  cuda_shim::barrier();
  const unsigned source = thread + static_cast<unsigned>(distance);
  const T result = source / 32 == thread / 32 ? static_cast<T>(cuda_shim::exchange_slot(source)) : value;
  cuda_shim::barrier();
  return result;
}

template <typename T>
T atomicAdd(T* place, T value) {
  const T old = *place;
  *place += value;
  return old;
}
template <typename T>
T atomicExch(T* place, T value) {
  const T old = *place;
  *place = value;
  return old;
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return cuda_shim::run_grid(*config, [&] { kernel(arguments...); });
}
