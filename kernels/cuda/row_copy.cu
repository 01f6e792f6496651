// The kernel that copies float32 rows, four values at a time if the rows are aligned.
#include "kernels/cache_policy.hpp"
#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/launch.cuh"
#include "kernels/cuda/block/tile_walk.cuh"
#include "kernels/cuda/row_copy.hpp"

namespace octavo::kernels::cuda {
namespace {

constexpr std::uint32_t kTileUnits = kUnroll * kWarpThreads;

/// Copies a lane's units of a tile, which are 32 apart, if they are among the next `rest` units. Loads all of them
/// before storing the first.
template <int kUnitBytes>
__device__ inline void copy_units(const std::byte* from, std::byte* to, std::uint32_t rest, const L2Policy& rows_policy,
                                  const L2Policy& values_policy) {
  constexpr int kStride = static_cast<int>(kWarpThreads) * kUnitBytes;
  const auto is_unit = [&](int k) { return static_cast<std::int32_t>(rest) > k * static_cast<int>(kWarpThreads); };
  Words<kUnitBytes> loaded[kUnroll];
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) loaded[k] = rows_policy.load_once<kUnitBytes>(is_unit(k), from + k * kStride);
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) values_policy.store(is_unit(k), to + k * kStride, loaded[k]);
}

/// Copies rows of `units` units of kUnitBytes bytes each.
template <int kUnitBytes>
__global__ void __launch_bounds__(kMostThreads, kLeastTileBlocks)
    copy_rows(const RowCopyArgs args, const std::uint32_t units, const WorkShare share, const CachePolicies policies) {
  __shared__ std::int64_t rows[kMostSamples];
  const BlockPlaces places = block_places(args.batch_count, share.samples_per_block);
  find_rows(args.selection, places, rows);
  const std::uint32_t lane = threadIdx.x % kWarpThreads;
  const L2Policy rows_policy(policies.codes), values_policy(policies.values);

  PackedRows packed{};
  packed.labels = args.labels;
  packed.label_words = args.label_words;
  packed.resident_count = args.selection.row_count;
  LabelCopy labels(packed, LabelType::words, args.out_labels, places, rows);
  labels.begin();
  const auto* from = reinterpret_cast<const std::byte*>(args.rows);
  auto* to = reinterpret_cast<std::byte*>(args.out);
  for (TileWalk walk(share, places.count); !walk.at_end(); walk.advance()) {
    const TileStep step = walk.step();
    const std::uint32_t first = step.tile * kTileUnits + lane;
    const std::int64_t out_row = places.first + step.sample;
    copy_units<kUnitBytes>(from + (rows[step.sample] * units + first) * kUnitBytes,
                           to + (out_row * units + first) * kUnitBytes, units - first, rows_policy, values_policy);
  }
  labels.finish();
}

template <int kUnitBytes>
cudaError_t launch_as(const RowCopyArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  const std::int64_t row_bytes = args.values_per_row * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t units = row_bytes / kUnitBytes;
  const CachePolicies policies =
      cache_policies(args.selection.row_count * row_bytes, args.batch_count * row_bytes, device.l2_bytes);
  const BatchGeometry geometry = batch_geometry(args.batch_count, (units + kTileUnits - 1) / kTileUnits, device);
  return launch(copy_rows<kUnitBytes>, dim3(geometry.groups, geometry.splits), dim3(geometry.block_threads), stream,
                args, static_cast<std::uint32_t>(units), work_share(geometry), policies);
}

}  // namespace

cudaError_t launch_row_copy(const RowCopyArgs& args, const DeviceTraits& device, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  const bool takes_vectors = args.values_per_row % 4 == 0 && is_aligned(args.rows, 16) && is_aligned(args.out, 16);
  return takes_vectors ? launch_as<16>(args, device, stream) : launch_as<4>(args, device, stream);
}

}  // namespace octavo::kernels::cuda
