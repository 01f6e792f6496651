// Reading samples as codes, and masks as values, however they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataset_file/split_data.hpp"

namespace octavo::dataset_file {

/// Read samples [first_row, first_row + count): codes [count,C,H,W], or masks [count,H,W]. Throw the errors of
/// SplitData::read_rows().
void read_codes(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes);
void read_masks(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> masks);
/// Reads both, and labels, and compares them with the checksums. `masks` may be empty. Throws FormatError with the
/// first damaged sample, too.
void read_checked(const SplitData& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes,
                  std::span<std::byte> labels, std::span<std::byte> masks);

}  // namespace octavo::dataset_file
