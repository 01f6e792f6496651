// Copies float32 rows on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/block/geometry.hpp"
#include "kernels/row_copy.hpp"

namespace octavo::kernels::cuda {

/// Enqueues the copy on `stream`. All pointers in `args` are device memory. Returns the error of the launch.
cudaError_t launch_row_copy(const RowCopyArgs& args, const DeviceTraits& device, cudaStream_t stream);

}  // namespace octavo::kernels::cuda
