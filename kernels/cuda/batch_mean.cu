// The kernels that center a batch on its own mean. The sums are integers, so the order of threads does not change the
// result.
#include <algorithm>

#include "kernels/cache_policy.hpp"
#include "kernels/cuda/batch_mean.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/block_threads.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/tile_walk.cuh"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cuda {
namespace {

/// Returns the sum over a warp, in its first lane. All 32 lanes must call it.
__device__ inline std::int64_t warp_sum(std::int64_t value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, distance);
  return value;
}

/// Loads of a lane before it adds up the first. There are no stores, so no second set of registers is needed to order
/// them.
constexpr int kVectors = 4;
constexpr std::uint32_t kTileBytes = kVectors * 16 * kWarpThreads;

/// A channel of a packed sample: bytes before the first 16-byte boundary, whole vectors, and bytes after them.
struct ChannelBytes {
  const std::int8_t* begin;
  std::uint32_t head, vectors, tail;

  __device__ ChannelBytes(const std::int8_t* codes, std::uint32_t count) : begin(codes) {
    const auto to_boundary = static_cast<std::uint32_t>((16 - reinterpret_cast<std::uintptr_t>(codes) % 16) % 16);
    head = to_boundary < count ? to_boundary : count;
    vectors = (count - head) / 16;
    tail = (count - head) % 16;
  }
};

/// A lane's part of a channel's sum over tile `tile`.
__device__ inline std::int32_t lane_sum(const ChannelBytes& channel, std::uint32_t tile, const L2Policy& policy) {
  const std::uint32_t lane = threadIdx.x % kWarpThreads, first = tile * kVectors * kWarpThreads + lane;
  const std::int8_t* body = channel.begin + channel.head;
  Words<16> loaded[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const std::uint32_t vector = first + static_cast<std::uint32_t>(k) * kWarpThreads;
    loaded[k] = policy.load_once<16>(vector < channel.vectors, body + std::int64_t{vector} * 16);
  }
  // With the first tile: up to 15 bytes on either side, one per lane, half of the warp for each side.
  const bool is_head = lane < 16;
  const std::uint32_t edge = lane % 16;
  std::int32_t sum = 0;
  if (tile == 0 && edge < (is_head ? channel.head : channel.tail)) {
    sum = is_head ? channel.begin[edge] : body[std::int64_t{channel.vectors} * 16 + edge];
  }
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    if (first + static_cast<std::uint32_t>(k) * kWarpThreads >= channel.vectors) continue;
#pragma unroll
    for (const std::uint32_t word : loaded[k].words) sum = add_codes_in_word(word, sum);
  }
  return sum;
}

/// Sums the codes + 128 of one channel (blockIdx.z) of the block's samples.
__global__ void __launch_bounds__(kMostThreads, kLeastTileBlocks)
    sum_codes(const BatchMeanArgs args, const WorkShare share, const CachePolicies policies) {
  __shared__ BlockRows rows;
  const BlockPlaces places = block_places(args.batch_count, share.samples_per_block);
  find_rows(args.selection, args.packed, places, rows);
  const L2Policy policy(policies.codes);
  std::int64_t sum = 0;
  for (TileWalk walk(share, places.count); !walk.at_end(); walk.advance()) {
    const TileStep step = walk.step();
    const ChannelBytes channel(rows.codes[step.sample] + blockIdx.z * args.values_per_channel,
                               static_cast<std::uint32_t>(args.values_per_channel));
    sum += lane_sum(channel, step.tile, policy);
    if (step.tile == 0 && threadIdx.x % kWarpThreads == 0) sum += 128 * args.values_per_channel;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kWarpThreads == 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(args.sums + blockIdx.z), static_cast<unsigned long long>(sum));
  }
}

/// Of a multiprocessor. Without it the compiler spills registers on 12.0 to fit a third block.
constexpr unsigned kLeastDecodingBlocks = 2;

/// The same for rows that are decoded, and all channels: a block takes one sample after the other.
__global__ void __launch_bounds__(kMostThreads, kLeastDecodingBlocks) sum_decoded(const BatchMeanArgs args) {
  __shared__ std::int64_t row;
  const DecodedRows rows(args.packed);
  auto* const slot =
      reinterpret_cast<std::int8_t*>(args.block_memory.memory + blockIdx.x * args.block_memory.slot_bytes);
  for (std::int64_t b = blockIdx.x; b < args.batch_count; b += gridDim.x) {
    if (threadIdx.x == 0) row = row_at(args.selection, b);
    __syncthreads();
    const std::int8_t* const codes = load_row(rows, row, whole_image(args.packed.shape), slot, BlockThreads());
    for (std::int64_t c = 0; c < args.channel_count; ++c) {
      std::int64_t sum = 0;
      for (std::int64_t p = threadIdx.x; p < args.values_per_channel; p += blockDim.x) {
        sum += codes[c * args.values_per_channel + p] + 128;
      }
      sum = warp_sum(sum);
      if (threadIdx.x % kWarpThreads == 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(args.sums + c), static_cast<unsigned long long>(sum));
      }
    }
    __syncthreads();  // before the next sample
  }
}

/// Clears the sums. A kernel, so that it can be captured in a graph with the others.
__global__ void clear_sums(std::int64_t* sums, std::int64_t channel_count) {
  for (std::int64_t c = threadIdx.x; c < channel_count; c += blockDim.x) sums[c] = 0;
}

__global__ void fold_maps(const BatchMeanArgs args) {
  const double pooled =
      pooled_sum(args.sums, args.quantization, args.channel_count, args.batch_count * args.values_per_channel);
  for (std::int64_t c = threadIdx.x; c < args.channel_count; c += blockDim.x) args.maps[c] = batch_map(args, pooled, c);
}

cudaError_t launch_sums(const BatchMeanArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  if (!is_in_place(args.packed.coding)) {
    const dim3 blocks(static_cast<unsigned>(std::min(args.batch_count, args.block_memory.slots)));
    return launch(sum_decoded, blocks, dim3(kMostThreads), stream, args);
  }
  const std::int64_t tiles = (args.values_per_channel + kTileBytes - 1) / kTileBytes;
  // Channels are distributed like samples, but a block processes only one channel.
  const BatchGeometry geometry = batch_geometry(args.batch_count * args.channel_count, tiles, device);
  const auto groups =
      static_cast<unsigned>((args.batch_count + geometry.samples_per_block - 1) / geometry.samples_per_block);
  // The next gather reads the same codes, so keep them in the cache if they fit.
  const std::int64_t codes = args.batch_count * args.channel_count * args.values_per_channel;
  return launch(sum_codes, dim3(groups, geometry.splits, static_cast<unsigned>(args.channel_count)),
                dim3(geometry.block_threads), stream, args, work_share(geometry),
                cache_policies(codes, 0, device.l2_bytes));
}

}  // namespace

cudaError_t launch_batch_mean(const BatchMeanArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  constexpr unsigned kThreads = 128;
  cudaError_t error = launch(clear_sums, dim3(1), dim3(kThreads), stream, args.sums, args.channel_count);
  if (error != cudaSuccess) return error;
  error = launch_sums(args, device, stream);
  if (error != cudaSuccess) return error;
  return launch(fold_maps, dim3(1), dim3(kThreads), stream, args);
}

}  // namespace octavo::kernels::cuda
