// Selects the samples of the next batches on the device that gathers them: the position in the epochs is in its memory,
// so that a launch needs no new arguments. Orders that are a permutation need no selection: gathers compute them
// (order_cursor.hpp).
#pragma once

#include <cstdint>

#include "kernels/epoch_batches.hpp"
#include "kernels/host_device.hpp"
#include "kernels/sampled_order.hpp"

namespace octavo::kernels {

/// A batch of an epoch.
struct BatchNumber {
  std::int64_t epoch, step;
};

/// The arguments of a selection. Borrowed pointers, in memory of the device that runs it.
struct SampleSelectionArgs {
  SampledOrder order;
  EpochBatches batches;                   ///< all of them full
  BatchShare share;                       ///< of this rank in each batch; not empty
  std::int64_t batch_count;               ///< batches to select, at most those of an epoch
  BatchNumber* next;                      ///< the first of them; advances by batch_count
  std::int64_t *rows, *indices, *epochs;  ///< [batch_count * share.count()], written; see RowSelection

  OCTAVO_HOST_DEVICE std::int64_t sample_count() const { return batch_count * share.count(); }
};

/// A selection may need the orders of three epochs: that of its first batch, the one before it and the one after it.
inline constexpr int kSelectionEpochs = 3;
OCTAVO_HOST_DEVICE inline OrderKey selection_key(const SampleSelectionArgs& args, const BatchNumber& first, int which) {
  return choice_key(args.order, first.epoch + which - 1);
}

/// The batch that is `batch` batches after `first`. `batch` is at most the number of batches of an epoch.
OCTAVO_HOST_DEVICE inline BatchNumber batch_after(const EpochBatches& batches, BatchNumber first, std::int64_t batch) {
  first.step += batch;
  const std::int64_t count = batches.count(first.epoch);
  if (first.step >= count) {
    first.step -= count;
    ++first.epoch;
  }
  return first;
}

/// Selects sample `i`. `keys` has selection_key() of each epoch.
OCTAVO_HOST_DEVICE inline void select_sample(const SampleSelectionArgs& args, const BatchNumber& first,
                                             const OrderKey* keys, std::int64_t i) {
  const std::int64_t in_batch = i / args.share.count();
  const BatchNumber batch = batch_after(args.batches, first, in_batch);
  std::int64_t epoch = batch.epoch;
  std::int64_t position =
      args.batches.first_position(epoch, batch.step) + args.share.first + (i - in_batch * args.share.count());
  if (position < 0) {
    --epoch;
    position += args.batches.position_count;
  }
  const std::int64_t row = sampled_row(args.order, keys[epoch - first.epoch + 1], epoch, position);
  args.rows[i] = row;
  args.indices[i] = args.order.draws_by_position ? position : row;
  args.epochs[i] = epoch;
}

}  // namespace octavo::kernels
