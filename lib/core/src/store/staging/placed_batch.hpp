// Where the samples of a batch are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "store/resident_set.hpp"
#include "store/staging/batch_rows.hpp"

namespace octavo::store {

/// A batch as a gather reads it.
struct PlacedBatch {
  BatchRows rows;                    ///< by number of kernels::PackedSamples: slots of the device, then staged samples
  std::vector<std::int64_t> staged;  ///< samples that are not on the device, in the order in which they are staged
};

inline PlacedBatch place(const BatchRows& batch, const ResidentSet& resident) {
  PlacedBatch placed{{{}, {batch.drawing().begin(), batch.drawing().end()}, batch.epochs}, {}};
  placed.rows.rows.reserve(batch.rows.size());
  for (const std::int64_t row : batch.rows) {
    if (const auto slot = resident.slot_of(row)) {
      placed.rows.rows.push_back(*slot);
    } else {
      placed.rows.rows.push_back(resident.count() + static_cast<std::int64_t>(placed.staged.size()));
      placed.staged.push_back(row);
    }
  }
  return placed;
}

/// The same with each sample staged once, in the order of the split.
inline PlacedBatch place_in_order(const BatchRows& batch, const ResidentSet& resident) {
  PlacedBatch placed{{{}, {batch.drawing().begin(), batch.drawing().end()}, batch.epochs}, {}};
  std::ranges::copy_if(batch.rows, std::back_inserter(placed.staged),
                       [&](std::int64_t row) { return !resident.slot_of(row); });
  std::ranges::sort(placed.staged);
  placed.staged.erase(std::unique(placed.staged.begin(), placed.staged.end()), placed.staged.end());
  placed.rows.rows.reserve(batch.rows.size());
  for (const std::int64_t row : batch.rows) {
    const auto place = std::ranges::lower_bound(placed.staged, row) - placed.staged.begin();
    placed.rows.rows.push_back(resident.slot_of(row).value_or(resident.count() + place));
  }
  return placed;
}

}  // namespace octavo::store
