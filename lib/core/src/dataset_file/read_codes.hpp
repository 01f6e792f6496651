// Reading samples as codes, and masks as values, however they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataset_file/split_data.hpp"
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

/// Read samples [first_row, first_row + count): codes [count,C,H,W], or masks [count,H,W]. Throw the errors of
/// SplitData::read_rows().
void read_codes(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes);
void read_masks(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> masks);
/// Reads both, and labels, and compares them with the checksums. `masks` may be empty. Throws FormatError with the
/// first damaged sample, too.
void read_checked(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes,
                  std::span<std::byte> labels, std::span<std::byte> masks);

}  // namespace octavo::dataset_file
