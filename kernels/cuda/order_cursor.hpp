// Moving a cursor on CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include "../order_cursor.hpp"

namespace octavo::kernels::cuda {

/// Enqueues going on by `batches` <= batches_per_epoch; `cursor` is in device memory.
cudaError_t launch_advance(OrderCursor* cursor, std::int64_t batches, cudaStream_t stream);

}  // namespace octavo::kernels::cuda
