// The gather of masks on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/block/geometry.hpp"
#include "kernels/mask_gather.hpp"

namespace octavo::kernels::cuda {

/// Enqueues the gather on `stream`. All pointers in `args` are device memory. Returns the error of the launch.
cudaError_t launch_mask_gather(const MaskGatherArgs& args, const DeviceTraits& device, cudaStream_t stream);

}  // namespace octavo::kernels::cuda
