// Reads the array of a hostile file.
#pragma once

#include <algorithm>
#include <vector>

#include "arrays/array.hpp"

namespace octavo::fuzz {

/// Reads all rows of an array if they are few, in blocks as the packer does.
inline void read_array(arrays::Array& array) {
  constexpr std::int64_t kMostBytes = std::int64_t{4} << 20;
  constexpr std::int64_t kMostReads = 64;
  if (array.row_bytes() > kMostBytes / array.row_count()) return;
  const std::int64_t rows_at_once = std::max<std::int64_t>(3, array.row_count() / kMostReads);
  std::vector<std::byte> rows;
  for (std::int64_t first = 0; first < array.row_count(); first += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, array.row_count() - first);
    rows.resize(static_cast<std::size_t>(count * array.row_bytes()));
    array.read_rows(first, count, rows);
  }
}

}  // namespace octavo::fuzz
