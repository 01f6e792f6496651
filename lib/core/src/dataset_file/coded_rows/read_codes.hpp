// Reading samples as codes, however they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "dataset_file/split_data.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::dataset_file {

/// Consecutive rows as they are stored.
struct StoredRows {
  std::int64_t first_row, count;
  std::span<const std::byte> bytes;
};

/// Writes the codes of rows [first_row, first_row + count) to `codes`, in blocks, and calls check() with the stored
/// rows of each before it is decoded. Throws the errors of SplitData::read_rows().
void read_codes(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::int8_t> codes,
                const std::function<void(const StoredRows&)>& check = {});

/// Decodes rows of images of `shape`. `offsets` are those of all rows of the split.
void decode_rows(kernels::RowCoding coding, const SampleShape& shape, const RowOffsets& offsets, const StoredRows& rows,
                 std::span<std::int8_t> codes);

}  // namespace octavo::dataset_file
