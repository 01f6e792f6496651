// Launches a kernel with a function call, so that the same source also compiles without <<< >>>.
#pragma once

#include <cuda_runtime.h>

#include <utility>

namespace octavo::kernels::cuda {

/// Enqueues `kernel` on `stream`. Returns the error of the launch itself.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                   Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace octavo::kernels::cuda
