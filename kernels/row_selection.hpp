// The samples of a batch: given row numbers, or consecutive positions of an epoch's order.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/order_cursor.hpp"
#include "kernels/permute.hpp"

namespace octavo::kernels {

/// The samples of a batch. Make one with the functions below. Every row must be in [0, row_count). Kernels do not check
/// this; their callers must.
struct RowSelection {
  std::int64_t row_count;                 ///< N
  const std::int64_t* rows = nullptr;     ///< [B], or null: they come from `cursor` or `order`
  OrderKey order = {};                    ///< used without `rows` and `cursor`
  std::int64_t first_position = 0;        ///< position of the batch in `order`
  OrderCursor* cursor = nullptr;          ///< in memory of the device that gathers, read when the work runs; or null
  const std::int64_t* indices = nullptr;  ///< [B] index in the split of each of `rows`; null: equal to the row
  std::uint64_t epoch = 0;                ///< epoch of the samples; unused with `cursor`, which knows it
  const std::int64_t* epochs = nullptr;   ///< [B] epoch of each of `rows`; null: `epoch`
};

/// The given rows: `rows` has B numbers in [0, row_count).
inline RowSelection given_rows(const std::int64_t* rows, std::int64_t row_count) {
  return {.row_count = row_count, .rows = rows};
}
/// The rows at positions first_position, first_position + 1, ... of `epoch`, whose order is `order`.
inline RowSelection rows_in_order(const OrderKey& order, std::int64_t first_position, std::uint64_t epoch) {
  return {.row_count = order.sample_count, .order = order, .first_position = first_position, .epoch = epoch};
}
/// Rows first_row, first_row + 1, ... of row_count.
inline RowSelection rows_from(std::int64_t first_row, std::int64_t row_count, std::uint64_t epoch = 0) {
  return rows_in_order(make_order_key(row_count, 0, 0, false), first_row, epoch);
}
/// The rows that `cursor` draws from row_count.
inline RowSelection rows_at(OrderCursor* cursor, std::int64_t row_count) {
  return {.row_count = row_count, .cursor = cursor};
}

/// A sample of a batch: where its row is, and which sample of which epoch it is. Its random draws depend only on index
/// and epoch.
struct SelectedSample {
  std::int64_t row;
  std::int64_t index;  ///< in the split
  std::uint64_t epoch;
};

/// The sample at position `b` of the batch.
OCTAVO_HOST_DEVICE inline SelectedSample sample_at(const RowSelection& selection, std::int64_t b) {
  if (selection.rows != nullptr) {
    const std::int64_t row = selection.rows[b];
    return {row, selection.indices == nullptr ? row : selection.indices[b],
            selection.epochs == nullptr ? selection.epoch : static_cast<std::uint64_t>(selection.epochs[b])};
  }
  if (selection.cursor != nullptr) {
    const OrderRange range = range_at(*selection.cursor, b);
    const std::int64_t row = permute(*range.key, range.position);
    return {row, row, range.epoch};
  }
  const std::int64_t row = permute(selection.order, selection.first_position + b);
  return {row, row, selection.epoch};
}

/// The row at position `b` of the batch.
OCTAVO_HOST_DEVICE inline std::int64_t row_at(const RowSelection& selection, std::int64_t b) {
  return sample_at(selection, b).row;
}

}  // namespace octavo::kernels
