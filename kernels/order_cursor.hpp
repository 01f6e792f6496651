// A position in the order of epochs, kept in the memory of the device that gathers, so that a launch needs no new
// arguments for each batch.
#pragma once

#include <cstdint>

#include "kernels/epoch_batches.hpp"
#include "kernels/host_device.hpp"
#include "kernels/permute.hpp"

namespace octavo::kernels {

/// A rank's share: positions [share_first, share_first + share_count) of every full batch, epoch after epoch.
struct OrderCursor {
  OrderKey keys[2];  ///< keys of the current epoch and the next one
  std::uint64_t seed;
  std::int64_t batch_size;
  std::int64_t share_first, share_count;  ///< share_count >= 1
  std::int64_t batches_per_epoch;         ///< full batches, at least 1
  std::int64_t epoch, step;               ///< position of the next batch
  std::uint32_t blocks_done;              ///< on a device: blocks of the running gather that have read the cursor
};

/// Returns a cursor at batch `step` of `epoch`. Requires batch_size <= N and a share that is not empty.
OCTAVO_HOST_DEVICE inline OrderCursor make_order_cursor(std::int64_t sample_count, std::uint64_t seed, bool shuffled,
                                                        std::int64_t batch_size, BatchShare share, std::int64_t epoch,
                                                        std::int64_t step) {
  OrderCursor cursor{};
  for (int ahead = 0; ahead < 2; ++ahead) {
    cursor.keys[ahead] = make_order_key(
        sample_count, seed, static_cast<std::uint64_t>(epoch) + static_cast<std::uint64_t>(ahead), shuffled);
  }
  cursor.seed = seed;
  cursor.batch_size = batch_size;
  cursor.share_first = share.first;
  cursor.share_count = share.count();
  cursor.batches_per_epoch = sample_count / batch_size;
  cursor.epoch = epoch;
  cursor.step = step;
  return cursor;
}

/// Consecutive positions in one epoch's order.
struct OrderRange {
  const OrderKey* key;
  std::int64_t position;  ///< the first position
  std::int64_t count;     ///< number of consecutive positions
  std::uint64_t epoch;
};

/// Maps `place`, which counts this rank's samples from the cursor on, to its position in the order.
/// Requires `place` < batches_per_epoch * share_count.
OCTAVO_HOST_DEVICE inline OrderRange range_at(const OrderCursor& cursor, std::int64_t place) {
  const std::int64_t batch = place / cursor.share_count, in_share = place - batch * cursor.share_count;
  const std::int64_t step = cursor.step + batch;
  const bool is_ahead = step >= cursor.batches_per_epoch;
  const std::int64_t epoch_step = is_ahead ? step - cursor.batches_per_epoch : step;
  return {&cursor.keys[is_ahead], epoch_step * cursor.batch_size + cursor.share_first + in_share,
          cursor.share_count - in_share, static_cast<std::uint64_t>(cursor.epoch + is_ahead)};
}

/// Advances the cursor by `batches` <= batches_per_epoch.
OCTAVO_HOST_DEVICE inline void advance(OrderCursor& cursor, std::int64_t batches) {
  cursor.step += batches;
  if (cursor.step < cursor.batches_per_epoch) return;
  cursor.step -= cursor.batches_per_epoch;
  ++cursor.epoch;
  cursor.keys[0] = cursor.keys[1];
  cursor.keys[1] = make_order_key(cursor.keys[0].sample_count, cursor.seed,
                                  static_cast<std::uint64_t>(cursor.epoch) + 1, cursor.keys[0].shuffled);
}

}  // namespace octavo::kernels
