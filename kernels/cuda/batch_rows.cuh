// The rows of the samples that a thread block serves.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/geometry.hpp"
#include "labels.hpp"
#include "packed_rows.hpp"
#include "row_selection.hpp"

namespace octavo::kernels::cuda {

/// The places of the batch that block blockIdx.x serves.
struct BlockPlaces {
  std::int64_t first;
  int count;
};
__device__ inline BlockPlaces block_places(std::int64_t batch_count, int samples_per_block) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * samples_per_block;
  const std::int64_t rest = batch_count - first;
  return {first, rest < samples_per_block ? static_cast<int>(rest) : samples_per_block};
}

/// Finds the rows of the block's places, a thread each, for all threads to read afterwards. A row out of range is -1,
/// and reported. All threads of the block must call it.
__device__ inline void find_rows(const RowSelection& selection, BlockPlaces places, std::uint32_t* error_slot,
                                 std::int64_t* shared_rows) {
  if (threadIdx.x < static_cast<unsigned>(places.count)) {
    const std::int64_t row = row_at(selection, places.first + threadIdx.x);
    shared_rows[threadIdx.x] = row;
    if (row < 0 && error_slot != nullptr) atomicExch(error_slot, 1u);
  }
  __syncthreads();
}

/// Whether `pointer` is a multiple of `bytes`; null is.
inline bool is_aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// Whether every row begins at a multiple of `bytes`.
inline bool is_aligned(const PackedRows& packed, std::size_t bytes) {
  return packed.row_stride_bytes % static_cast<std::int64_t>(bytes) == 0 && is_aligned(packed.codes, bytes) &&
         is_aligned(packed.staged_codes, bytes);
}

/// Copies the labels of the block's places, written as `type`; zeros for a row of -1.
__device__ inline void copy_labels(const PackedRows& packed, LabelType type, void* out, BlockPlaces places,
                                   const std::int64_t* shared_rows) {
  const std::int64_t label_words = packed.label_words;
  const std::int64_t words = places.count * label_words;
  for (std::int64_t i = threadIdx.x; i < words; i += blockDim.x) {
    const std::int64_t row = shared_rows[i / label_words];
    const std::uint32_t stored = row < 0 ? 0 : label_of(packed, row)[i % label_words];
    write_label(type, stored, out, places.first * label_words + i);
  }
}

}  // namespace octavo::kernels::cuda
