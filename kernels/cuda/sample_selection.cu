// The selection of samples: one block, because a launch selects few samples and then advances the position.
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/sample_selection.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr unsigned kThreads = 512;

__global__ void __launch_bounds__(kThreads) select_samples(const SampleSelectionArgs args) {
  __shared__ BatchNumber first;
  __shared__ OrderKey keys[kSelectionEpochs];
  if (threadIdx.x == 0) first = *args.next;
  __syncthreads();
  if (threadIdx.x < kSelectionEpochs) keys[threadIdx.x] = selection_key(args, first, static_cast<int>(threadIdx.x));
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < args.sample_count(); i += kThreads) select_sample(args, first, keys, i);
  if (threadIdx.x == 0) *args.next = batch_after(args.batches, first, args.batch_count);
}

}  // namespace

cudaError_t launch_sample_selection(const SampleSelectionArgs& args, cudaStream_t stream) {
  return launch(&select_samples, dim3(1), dim3(kThreads), stream, args);
}

}  // namespace octavo::kernels::cuda
