// The gather on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gather.hpp"
#include "kernels/cuda/geometry.hpp"

namespace octavo::kernels::cuda {

/// Enqueues the gather on `stream`; can be captured in a graph: it neither allocates nor synchronizes. All pointers of
/// `args` are to device memory. Returns the error of the launch. B up to 2^31 - 1.
cudaError_t launch_gather(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream);

}  // namespace octavo::kernels::cuda
