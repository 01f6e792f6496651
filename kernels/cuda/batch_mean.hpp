// The mean of a batch on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/batch_mean.hpp"
#include "kernels/cuda/block/geometry.hpp"

namespace octavo::kernels::cuda {

/// Enqueues the kernels that compute args.maps from the codes of the batch. All pointers in `args` are device memory.
/// Returns the error of the launch.
cudaError_t launch_batch_mean(const BatchMeanArgs& args, const DeviceTraits& device, cudaStream_t stream);

}  // namespace octavo::kernels::cuda
