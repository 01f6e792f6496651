// Launches that are complete when they return.
#include "cuda_runtime.h"

cudaError_t cuda_shim::launch(const cudaLaunchConfig_t& config, std::shared_ptr<const KernelCall> call) {
  return run_grid(config, *call);
}
