// The device side of CUDA on the host: kernels compile as C++, and every thread of every block runs.
//
// The threads of a block are fibers of one host thread. Each runs until its next barrier, so barriers and warp shuffles
// work as on a device, in a fixed order. Blocks run one after another. Memory is host memory, so sanitizers check every
// access. The types of the host API come from <cuda_runtime_api.h>: NVIDIA's, or the one in types/.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// NVIDIA's header defines some of these as empty if the compiler is not nvcc.
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#define __grid_constant__

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

/// A kernel with copies of its arguments.
class KernelCall {
 public:
  virtual ~KernelCall() = default;
  /// The address of the host function.
  virtual const void* kernel() const = 0;
  /// The address of each argument.
  virtual std::vector<const void*> arguments() const = 0;
  /// Does the work of the running fiber.
  virtual void run_thread() const = 0;
};

/// Whether a device can run such a grid; the shim supports only one-dimensional blocks.
bool is_possible(const cudaLaunchConfig_t& config);

/// Runs every thread of the grid, and returns when all have ended. Runs one grid at a time; calls from several host
/// threads wait for each other.
cudaError_t run_grid(const cudaLaunchConfig_t& config, const KernelCall& call);

/// Launches a kernel. The definition in launch_now.cpp runs the grid before it returns. A program that defers launches
/// to a stream, or that runs other code for the kernel, links its own definition.
cudaError_t launch(const cudaLaunchConfig_t& config, std::shared_ptr<const KernelCall> call);

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
T __shfl_sync(unsigned, T value, int lane, int width = 32) {
  const auto segment = static_cast<unsigned>(width);
  const unsigned first = cuda_shim::thread_index.x % 32 / segment * segment;
  return cuda_shim::from_lane(value, first + static_cast<unsigned>(lane) % segment);
}
template <typename T>
T __shfl_down_sync(unsigned, T value, int distance) {
  return cuda_shim::from_lane(value, cuda_shim::thread_index.x % 32 + static_cast<unsigned>(distance));
}

/// Within segments of `width` lanes. A lane that is in the first `distance` lanes of one gets its own value.
template <typename T>
T __shfl_up_sync(unsigned, T value, unsigned distance, int width = 32) {
  const unsigned lane = cuda_shim::thread_index.x % 32;
  return cuda_shim::from_lane(value, lane % static_cast<unsigned>(width) < distance ? lane : lane - distance);
}

template <typename T>
T __shfl_xor_sync(unsigned, T value, int lanes) {
  return cuda_shim::from_lane(value, cuda_shim::thread_index.x % 32 ^ static_cast<unsigned>(lanes));
}

inline int __any_sync(unsigned, int is_true) {
  for (int lanes = 16; lanes > 0; lanes /= 2) is_true |= __shfl_xor_sync(0xFFFFFFFFu, is_true, lanes);
  return is_true;
}

inline int __all_sync(unsigned mask, int is_true) { return !__any_sync(mask, !is_true); }

template <typename T>
T atomicAdd(T* place, T value) {
  const T old = *place;
  *place += value;
  return old;
}

template <typename T>
T atomicMin(T* place, T value) {
  const T old = *place;
  if (value < old) *place = value;
  return old;
}
template <typename T>
T atomicMax(T* place, T value) {
  const T old = *place;
  if (value > old) *place = value;
  return old;
}

namespace cuda_shim {

template <typename... Parameters>
class BoundKernel : public KernelCall {
 public:
  template <typename... Arguments>
  explicit BoundKernel(void (*function)(Parameters...), Arguments&&... values)
      : kernel_(function), arguments_(std::forward<Arguments>(values)...) {}
  const void* kernel() const override { return reinterpret_cast<const void*>(kernel_); }
  std::vector<const void*> arguments() const override {
    return std::apply([](const auto&... argument) { return std::vector<const void*>{&argument...}; }, arguments_);
  }
  void run_thread() const override { std::apply(kernel_, arguments_); }

 private:
  void (*kernel_)(Parameters...);
  std::tuple<std::remove_const_t<Parameters>...> arguments_;
};

}  // namespace cuda_shim

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return cuda_shim::launch(*config, std::make_shared<cuda_shim::BoundKernel<Parameters...>>(
                                        kernel, std::forward<Arguments>(arguments)...));
}
