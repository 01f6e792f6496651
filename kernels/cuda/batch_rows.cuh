// The rows of the samples that a thread block serves.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/geometry.hpp"
#include "labels.hpp"
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

/// Copies the labels of the block's places, written as `type`; zeros for a row of -1.
__device__ inline void copy_labels(const std::uint32_t* labels, std::int64_t label_words, LabelType type, void* out,
                                   BlockPlaces places, const std::int64_t* shared_rows) {
  const std::int64_t words = places.count * label_words;
  for (std::int64_t i = threadIdx.x; i < words; i += blockDim.x) {
    const std::int64_t row = shared_rows[i / label_words];
    const std::uint32_t stored = row < 0 ? 0 : labels[row * label_words + i % label_words];
    write_label(type, stored, out, places.first * label_words + i);
  }
}

}  // namespace octavo::kernels::cuda
