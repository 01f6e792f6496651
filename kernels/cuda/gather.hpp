// The gather on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/block/geometry.hpp"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// Enqueues the gather on `stream`. Can be captured in a graph, because it neither allocates nor synchronizes. All
/// pointers in `args` are device memory. B is at most 2^31 - 1. Returns the error of the launch.
cudaError_t launch_gather(const GatherArgs& args, const DeviceTraits& device, cudaStream_t stream);

/// The images that a gather with AugmentDemand::images can make at once; fewer slots of memory are enough.
std::int64_t most_images_at_once(const DeviceTraits& device);

}  // namespace octavo::kernels::cuda
