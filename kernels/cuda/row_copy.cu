// The kernel that copies float32 rows, four values at once where rows allow it.
#include "cuda/batch_rows.cuh"
#include "cuda/launch.cuh"
#include "cuda/row_copy.hpp"

namespace octavo::kernels::cuda {
namespace {

struct alignas(16) FourFloats {
  float values[4];
};

/// Rows of `units` units each.
template <typename Unit>
__global__ void __launch_bounds__(kLargestBlock)
    copy_rows(const RowCopyArgs args, const std::int64_t units, const int samples_per_block) {
  __shared__ std::int64_t rows[kMostSamplesPerBlock];
  const BlockPlaces places = block_places(args.batch_count, samples_per_block);
  find_rows(args.selection, places, args.error_slot, rows);
  if (args.out_labels != nullptr && blockIdx.y == 0) {
    PackedRows labels{};
    labels.labels = args.labels;
    labels.label_words = args.label_words;
    labels.resident_count = args.selection.order.sample_count;
    copy_labels(labels, LabelType::words, args.out_labels, places, rows);
  }

  const std::int64_t units_per_tile = static_cast<std::int64_t>(blockDim.x) * kUnroll;
  for (std::int64_t tile = blockIdx.y; tile * units_per_tile < units; tile += gridDim.y) {
    const std::int64_t first = tile * units_per_tile + threadIdx.x;
    for (int s = 0; s < places.count; ++s) {
      const std::int64_t row = rows[s];
      const auto* from = reinterpret_cast<const Unit*>(args.rows) + (row < 0 ? 0 : row) * units;
      auto* to = reinterpret_cast<Unit*>(args.out) + (places.first + s) * units;
      Unit loaded[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) {
        const std::int64_t unit = first + static_cast<std::int64_t>(k) * blockDim.x;
        if (unit < units) loaded[k] = from[unit];
      }
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) {
        const std::int64_t unit = first + static_cast<std::int64_t>(k) * blockDim.x;
        if (unit < units) to[unit] = row < 0 ? Unit{} : loaded[k];
      }
    }
  }
}

template <typename Unit>
cudaError_t launch_as(const RowCopyArgs& args, int multiprocessor_count, cudaStream_t stream) {
  const std::int64_t units =
      args.values_per_row * static_cast<std::int64_t>(sizeof(float)) / static_cast<std::int64_t>(sizeof(Unit));
  const BatchGeometry geometry = batch_geometry(args.batch_count, 1, units, multiprocessor_count);
  return launch(copy_rows<Unit>, dim3(geometry.groups, geometry.tiles), dim3(geometry.block_threads), stream, args,
                units, geometry.samples_per_block);
}

}  // namespace

cudaError_t launch_row_copy(const RowCopyArgs& args, int multiprocessor_count, cudaStream_t stream) {
  if (args.batch_count == 0) return cudaSuccess;
  const bool takes_vectors = args.values_per_row % 4 == 0 && reinterpret_cast<std::uintptr_t>(args.rows) % 16 == 0 &&
                             reinterpret_cast<std::uintptr_t>(args.out) % 16 == 0;
  return takes_vectors ? launch_as<FourFloats>(args, multiprocessor_count, stream)
                       : launch_as<float>(args, multiprocessor_count, stream);
}

}  // namespace octavo::kernels::cuda
