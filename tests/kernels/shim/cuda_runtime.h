// The device side of CUDA on the host: kernels compile as C++, and every thread of every block runs.
//
// The threads of a block are fibers of one host thread. Each runs until its next barrier, so barriers and warp shuffles
// work as on a device, in a fixed order. Blocks run one after another. Memory is host memory, so sanitizers check every
// access. The types of the host API come from <cuda_runtime_api.h>: NVIDIA's, or the one in types/.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

// NVIDIA's header defines some of these as empty if the compiler is not nvcc.
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)

namespace cuda_shim {

/// The indices of the running fiber.
extern uint3 block_index, thread_index;
extern dim3 grid_size, block_size;

/// Waits until all live fibers of the block arrive.
void block_barrier();
/// Same for the running fiber's warp.
void warp_barrier();

/// A 64-bit slot per fiber, for exchanging values within the block.
std::uint64_t& exchange_slot(unsigned thread);

/// Runs `thread_body` for every thread of the grid, and returns when all have ended. Runs one grid at a time; calls
/// from several host threads wait for each other.
cudaError_t run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread_body);

/// Launches `kernel`; `thread_body` owns copies of its arguments. The definition in launch_now.cpp runs the grid before
/// it returns. A program that defers launches to a stream links its own definition.
cudaError_t launch(const void* kernel, const cudaLaunchConfig_t& config, std::function<void()> thread_body);

/// The `value` of lane `lane` of the warp, or the caller's own value if that lane does not exist. All live lanes must
/// call it.
template <typename T>
T from_lane(T value, unsigned lane) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  const unsigned thread = thread_index.x, source = thread / 32 * 32 + lane;
  std::memcpy(&exchange_slot(thread), &value, sizeof value);
  warp_barrier();
  T result = value;
  if (lane < 32 && source < block_size.x) std::memcpy(&result, &exchange_slot(source), sizeof result);
  warp_barrier();
  return result;
}

}  // namespace cuda_shim

inline const uint3& blockIdx = cuda_shim::block_index;
inline const uint3& threadIdx = cuda_shim::thread_index;
inline const dim3& gridDim = cuda_shim::grid_size;
inline const dim3& blockDim = cuda_shim::block_size;

inline void __syncthreads() { cuda_shim::block_barrier(); }
inline void __syncwarp(unsigned = 0xFFFFFFFFu) { cuda_shim::warp_barrier(); }
inline void __threadfence() {}

template <typename T>
T __shfl_sync(unsigned, T value, int lane) {
  return cuda_shim::from_lane(value, static_cast<unsigned>(lane) % 32);
}
template <typename T>
T __shfl_down_sync(unsigned, T value, int distance) {
  return cuda_shim::from_lane(value, cuda_shim::thread_index.x % 32 + static_cast<unsigned>(distance));
}

template <typename T>
T atomicAdd(T* place, T value) {
  const T old = *place;
  *place += value;
  return old;
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return cuda_shim::launch(reinterpret_cast<const void*>(kernel), *config,
                           [kernel, copies = std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)] {
                             std::apply(kernel, copies);
                           });
}
