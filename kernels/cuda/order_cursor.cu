// The kernel that moves a cursor on, when everything before it on the stream has read it.
#include "cuda/launch.cuh"
#include "cuda/order_cursor.hpp"

namespace octavo::kernels::cuda {
namespace {

__global__ void advance_cursor(OrderCursor* cursor, const std::int64_t batches) {
  if (threadIdx.x == 0) advance(*cursor, batches);
}

}  // namespace

cudaError_t launch_advance(OrderCursor* cursor, std::int64_t batches, cudaStream_t stream) {
  return launch(advance_cursor, dim3(1), dim3(1), stream, cursor, batches);
}

}  // namespace octavo::kernels::cuda
