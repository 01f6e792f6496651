// The selection of samples on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/sample_selection.hpp"

namespace octavo::kernels::cuda {

/// Enqueues the selection on `stream`. All pointers in `args` are device memory. Returns the error of the launch.
cudaError_t launch_sample_selection(const SampleSelectionArgs& args, cudaStream_t stream);

}  // namespace octavo::kernels::cuda
