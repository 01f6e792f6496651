// Decoding rows as they are stored to values, in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <octavo/shapes.hpp>

#include "format/row_offsets.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::dataset_file {

/// Consecutive rows as they are stored.
struct StoredRows {
  std::int64_t first_row, count;
  std::span<const std::byte> bytes;
};

/// Decodes rows of values of `shape`. `offsets` are those of all rows of the split.
void decode_rows(kernels::RowCoding coding, const SampleShape& shape, const RowOffsets& offsets, const StoredRows& rows,
                 std::span<std::byte> values);

}  // namespace octavo::dataset_file
