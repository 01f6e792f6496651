// In a separate file, because the shim's header defines __global__ and similar keywords as nothing.
#include "probe_kernels.hpp"

#include "cuda_runtime.h"

namespace fake_cuda::test {
namespace {

__global__ void fill(unsigned char* to, std::ptrdiff_t first, std::ptrdiff_t end, unsigned char value) {
  for (std::ptrdiff_t i = first + static_cast<std::ptrdiff_t>(threadIdx.x); i < end; i += blockDim.x) to[i] = value;
}

__global__ void copy(unsigned char* to, const unsigned char* from, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

__global__ void increment(unsigned char* counter) { ++*counter; }

cudaLaunchConfig_t config_of(unsigned threads, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return config;
}

}  // namespace

cudaError_t launch_fill(unsigned char* to, std::ptrdiff_t first, std::ptrdiff_t end, unsigned char value,
                        cudaStream_t stream) {
  const cudaLaunchConfig_t config = config_of(4, stream);
  return cudaLaunchKernelEx(&config, fill, to, first, end, value);
}

cudaError_t launch_copy(unsigned char* to, const unsigned char* from, std::ptrdiff_t count, cudaStream_t stream) {
  const cudaLaunchConfig_t config = config_of(4, stream);
  return cudaLaunchKernelEx(&config, copy, to, from, count);
}

cudaError_t launch_increment(unsigned char* counter, cudaStream_t stream) {
  const cudaLaunchConfig_t config = config_of(1, stream);
  return cudaLaunchKernelEx(&config, increment, counter);
}

}  // namespace fake_cuda::test
