// Launches that are complete when they return.
#include "cuda_runtime.h"

cudaError_t cuda_shim::launch(const void*, const cudaLaunchConfig_t& config, std::function<void()> thread_body) {
  return run_grid(config, thread_body);
}
