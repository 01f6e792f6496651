// The samples of a batch as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace octavo::store {

struct BatchRows {
  std::vector<std::int64_t> rows;     ///< of the split
  std::vector<std::int64_t> indices;  ///< for the random numbers of each; empty: its row

  std::span<const std::int64_t> drawing() const { return indices.empty() ? rows : indices; }
};

}  // namespace octavo::store
