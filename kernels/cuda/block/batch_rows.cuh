// The rows of the samples that a thread block processes, and their labels.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/block/geometry.hpp"
#include "kernels/labels.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/row_selection.hpp"
#include "kernels/stages/load.hpp"

namespace octavo::kernels::cuda {

/// The positions of the batch that block blockIdx.x processes.
struct BlockPlaces {
  std::int64_t first;
  int count;
};
__device__ inline BlockPlaces block_places(std::int64_t batch_count, int samples_per_block) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * samples_per_block;
  const std::int64_t rest = batch_count - first;
  return {first, rest < samples_per_block ? static_cast<int>(rest) : samples_per_block};
}

/// The block's samples, in shared memory.
struct BlockRows {
  std::int64_t rows[kMostSamples];
  const std::int8_t* codes[kMostSamples];  ///< codes of each row
};

/// Computes the rows of the block's positions, one per thread, for all threads to read. All threads of the block must
/// call it.
__device__ inline void find_rows(const RowSelection& selection, BlockPlaces places, std::int64_t* shared_rows) {
  if (threadIdx.x < static_cast<unsigned>(places.count)) {
    shared_rows[threadIdx.x] = row_at(selection, places.first + threadIdx.x);
  }
  __syncthreads();
}
/// The same, with the addresses of their codes.
__device__ inline void find_rows(const RowSelection& selection, const PackedRows& packed, BlockPlaces places,
                                 BlockRows& shared) {
  if (threadIdx.x < static_cast<unsigned>(places.count)) {
    const std::int64_t row = row_at(selection, places.first + threadIdx.x);
    shared.rows[threadIdx.x] = row;
    shared.codes[threadIdx.x] = PlainRows(packed).codes(row);
  }
  __syncthreads();
}

/// Advances a cursor once every block of the grid has read it. The last block does this, so no extra launch is needed.
/// Construct it after find_rows(). Only one thread per block does any work.
class CursorAdvance {
 public:
  __device__ CursorAdvance(OrderCursor* cursor, std::int64_t batches) : cursor_(cursor), batches_(batches) {
    if (batches_ == 0 || threadIdx.x != 0) return;
    // Order the block's reads, which the barrier of find_rows() has completed, before its ticket.
    __threadfence();
    ticket_ = atomicAdd(&cursor_->blocks_done, 1u);
  }
  /// Call this at the end of the kernel, when the ticket, a round trip to memory, has long arrived.
  __device__ void finish() const {
    if (batches_ == 0 || threadIdx.x != 0 || ticket_ != gridDim.x * gridDim.y - 1) return;
    __threadfence();  // order all other tickets, and the reads before them, before these writes
    cursor_->blocks_done = 0;
    advance(*cursor_, batches_);
  }

 private:
  OrderCursor* cursor_;
  std::int64_t batches_;
  unsigned ticket_ = 0;
};

/// Copies the labels of the block's positions in two steps, so that nothing waits for the loads: begin() loads one word
/// per thread; finish() stores it and copies all other words. Only the last split of a sample does this.
class LabelCopy {
 public:
  __device__ LabelCopy(const PackedRows& packed, LabelType type, void* out, BlockPlaces places,
                       const std::int64_t* shared_rows)
      : packed_(packed),
        type_(type),
        out_(out),
        places_(places),
        rows_(shared_rows),
        words_(out != nullptr && blockIdx.y == gridDim.y - 1
                   ? static_cast<std::uint32_t>(places.count * packed.label_words)
                   : 0) {}
  __device__ void begin() {
    if (threadIdx.x < words_) first_ = load(threadIdx.x);
  }
  __device__ void finish() const {
    if (threadIdx.x < words_) store(threadIdx.x, first_);
    for (std::uint32_t i = threadIdx.x + blockDim.x; i < words_; i += blockDim.x) store(i, load(i));
  }

 private:
  __device__ std::uint32_t load(std::uint32_t i) const {
    const auto label_words = static_cast<std::uint32_t>(packed_.label_words);
    return label_of(packed_, rows_[i / label_words])[i % label_words];
  }
  __device__ void store(std::uint32_t i, std::uint32_t word) const {
    write_label(type_, word, out_, places_.first * packed_.label_words + i);
  }

  const PackedRows& packed_;
  LabelType type_;
  void* out_;
  BlockPlaces places_;
  const std::int64_t* rows_;
  std::uint32_t words_;
  std::uint32_t first_ = 0;
};

/// Whether `pointer` is aligned to `bytes`. True for null.
inline bool is_aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// Whether every row is aligned to `bytes`.
inline bool is_aligned(const PackedRows& packed, std::size_t bytes) {
  return packed.row_stride_bytes % static_cast<std::int64_t>(bytes) == 0 && is_aligned(packed.codes, bytes) &&
         is_aligned(packed.staged_codes, bytes);
}

}  // namespace octavo::kernels::cuda
