// The kernels that centre a minibatch on its own mean. Integers are summed, so that the order of threads changes no
// bit.
#include "cuda/batch_mean.hpp"
#include "cuda/batch_rows.cuh"
#include "cuda/launch.cuh"

namespace octavo::kernels::cuda {
namespace {

/// The sum over a warp, in its first lane. All 32 lanes must call it.
__device__ inline std::int64_t warp_sum(std::int64_t value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, distance);
  return value;
}

/// The codes of one channel (blockIdx.z) of the block's samples, summed; Word is what is loaded at once.
template <typename Word>
__global__ void __launch_bounds__(kLargestBlock)
    sum_codes(const BatchMeanArgs args, const std::int64_t words_per_channel, const int samples_per_block) {
  __shared__ std::int64_t rows[kMostSamplesPerBlock];
  const BlockPlaces places = block_places(args.batch_count, samples_per_block);
  find_rows(args.selection, places, nullptr, rows);

  std::int64_t sum = 0;
  const std::int64_t stride = static_cast<std::int64_t>(blockDim.x) * gridDim.y;
  for (int s = 0; s < places.count; ++s) {
    if (rows[s] < 0) continue;
    const auto* words =
        reinterpret_cast<const Word*>(codes_of(args.packed, rows[s]) + blockIdx.z * args.values_per_channel);
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.y) * blockDim.x + threadIdx.x; i < words_per_channel;
         i += stride) {
      if constexpr (sizeof(Word) == 4)
        sum += add_codes_in_word(words[i], 4 * 128);
      else
        sum += words[i] + 128;
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(args.sums + blockIdx.z), static_cast<unsigned long long>(sum));
  }
}

/// Clears the sums; a kernel, so that it can be captured in a graph with the others.
__global__ void clear_sums(std::int64_t* sums, std::int64_t channel_count) {
  for (std::int64_t c = threadIdx.x; c < channel_count; c += blockDim.x) sums[c] = 0;
}

__global__ void fold_maps(const BatchMeanArgs args) {
  const double pooled =
      pooled_sum(args.sums, args.quantisation, args.channel_count, args.batch_count * args.values_per_channel);
  for (std::int64_t c = threadIdx.x; c < args.channel_count; c += blockDim.x) args.maps[c] = batch_map(args, pooled, c);
}

template <typename Word>
cudaError_t launch_sums(const BatchMeanArgs& args, int multiprocessor_count, cudaStream_t stream) {
  const std::int64_t words = args.values_per_channel / static_cast<std::int64_t>(sizeof(Word));
  const BatchGeometry geometry = batch_geometry(args.batch_count, args.channel_count, words, multiprocessor_count);
  return launch(sum_codes<Word>, dim3(geometry.groups, geometry.tiles, geometry.runs), dim3(geometry.block_threads),
                stream, args, words, geometry.samples_per_block);
}

}  // namespace

cudaError_t launch_batch_mean(const BatchMeanArgs& args, int multiprocessor_count, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  constexpr unsigned kThreads = 128;
  cudaError_t error = launch(clear_sums, dim3(1), dim3(kThreads), stream, args.sums, args.channel_count);
  if (error != cudaSuccess) return error;
  const bool takes_words = args.values_per_channel % 4 == 0 && is_aligned(args.packed, 4);
  error = takes_words ? launch_sums<std::uint32_t>(args, multiprocessor_count, stream)
                      : launch_sums<std::int8_t>(args, multiprocessor_count, stream);
  if (error != cudaSuccess) return error;
  return launch(fold_maps, dim3(1), dim3(kThreads), stream, args);
}

}  // namespace octavo::kernels::cuda
