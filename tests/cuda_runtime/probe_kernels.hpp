// Kernels for the tests of the fake runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace fake_cuda::test {

/// to[i] = value for i in [first, end).
cudaError_t launch_fill(unsigned char* to, std::ptrdiff_t first, std::ptrdiff_t end, unsigned char value,
                        cudaStream_t stream);
/// to[i] = from[i] for i in [0, count).
cudaError_t launch_copy(unsigned char* to, const unsigned char* from, std::ptrdiff_t count, cudaStream_t stream);
/// ++*counter.
cudaError_t launch_increment(unsigned char* counter, cudaStream_t stream);

}  // namespace fake_cuda::test
