// The samples of a batch as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/row_selection.hpp"

namespace octavo::store {

struct BatchRows {
  std::vector<std::int64_t> rows;     ///< of the split
  std::vector<std::int64_t> indices;  ///< for the random numbers of each; empty: its row
  std::vector<std::int64_t> epochs;   ///< of each; empty: all belong to the epoch of the batch

  std::span<const std::int64_t> drawing() const { return indices.empty() ? rows : indices; }

  /// Everything as one list: the rows, then the indices and the epochs, if there are any.
  std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> numbers;
    numbers.reserve(rows.size() + indices.size() + epochs.size());
    for (const auto* part : {&rows, &indices, &epochs}) numbers.insert(numbers.end(), part->begin(), part->end());
    return numbers;
  }
  /// Selects these samples of a batch of `epoch` with `numbers`, which has numbers() in memory of the device.
  kernels::RowSelection selection(const std::int64_t* numbers, std::int64_t row_count, std::int64_t epoch) const {
    kernels::RowSelection selection = kernels::given_rows(numbers, row_count);
    if (!indices.empty()) selection.indices = numbers + rows.size();
    if (!epochs.empty()) selection.epochs = numbers + rows.size() + indices.size();
    selection.epoch = static_cast<std::uint64_t>(epoch);
    return selection;
  }
};

}  // namespace octavo::store
