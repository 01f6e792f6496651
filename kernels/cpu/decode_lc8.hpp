// Decoding LC8 rows with SIMD instructions.
#pragma once

#include <cstdint>

#include "kernels/packed_rows.hpp"

namespace octavo::kernels::cpu {

/// Writes the values of `row` to `tile`. Equal to Lc8Rows::decode().
void decode_lc8(const PackedRows& packed, std::int64_t row, std::int8_t* tile);

}  // namespace octavo::kernels::cpu
