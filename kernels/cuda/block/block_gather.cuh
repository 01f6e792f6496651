// What the gathers of plain rows without an augmentation have in common: a block finds its samples, its warps walk
// through their tiles, and meanwhile it copies labels and advances the cursor.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/block/batch_rows.cuh"
#include "kernels/cuda/block/tile_walk.cuh"
#include "kernels/gather.hpp"

namespace octavo::kernels::cuda {

/// All threads of a block construct it and call its functions together.
class BlockGather {
 public:
  __device__ BlockGather(const GatherArgs& args, const WorkShare& share, BlockRows& shared)
      : args_(args),
        share_(share),
        rows_(shared),
        places_(block_places(args.batch_count, share.samples_per_block)),
        cursor_(find(args, places_, shared), args.cursor_batches) {}

  /// The codes of a step's sample.
  __device__ const std::int8_t* codes(TileStep step) const { return rows_.codes[step.sample]; }
  /// Its position in the batch.
  __device__ std::int64_t place(TileStep step) const { return places_.first + step.sample; }

  /// Gathers the tiles of the block's samples: load(), begin_tile() and store() are those of run_steps().
  template <typename Load, typename BeginTile, typename Store>
  __device__ void run(const Load& load, const BeginTile& begin_tile, const Store& store) const {
    LabelCopy labels(args_.packed, args_.label_type, args_.out_labels, places_, rows_.rows);
    run_steps(
        TileWalk(share_, places_.count), load, [&] { labels.begin(); }, begin_tile, store);
    labels.finish();
    cursor_.finish();
  }

 private:
  /// Finds the rows, which must be done before the cursor may advance.
  __device__ static OrderCursor* find(const GatherArgs& args, BlockPlaces places, BlockRows& shared) {
    find_rows(args.selection, args.packed, places, shared);
    return args.selection.cursor;
  }

  const GatherArgs& args_;
  const WorkShare& share_;
  const BlockRows& rows_;
  BlockPlaces places_;
  CursorAdvance cursor_;
};

}  // namespace octavo::kernels::cuda
