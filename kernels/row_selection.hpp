// The samples of a batch: given row numbers, or consecutive positions of an epoch's order.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/order_cursor.hpp"
#include "kernels/permute.hpp"

namespace octavo::kernels {

/// The samples of a batch. Every row number must be in [0, order.sample_count). Kernels do not check this; their
/// callers must.
struct RowSelection {
  const std::int64_t* rows;       ///< [B] row numbers, or null: take them from `cursor` or `order`
  OrderKey order;                 ///< its sample_count is also the bound of `rows`
  std::int64_t first_position;    ///< position of the batch in the epoch; used only with `order`
  OrderCursor* cursor = nullptr;  ///< in memory of the device that gathers, read when the work runs; or null
};

/// The row at position `b` of the batch.
OCTAVO_HOST_DEVICE inline std::int64_t row_at(const RowSelection& selection, std::int64_t b) {
  if (selection.rows != nullptr) return selection.rows[b];
  if (selection.cursor == nullptr) return permute(selection.order, selection.first_position + b);
  const OrderRange stretch = range_at(*selection.cursor, b);
  return permute(*stretch.key, stretch.position);
}

}  // namespace octavo::kernels
