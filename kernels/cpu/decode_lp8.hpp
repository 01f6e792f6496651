// Decoding LP8 rows with SIMD instructions.
#pragma once

#include <cstdint>

#include "kernels/image_part.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::kernels::cpu {

/// Values after the end of a decoded row that decode_lp8() may write.
inline constexpr std::int64_t kDecodedRowMargin = 64;

/// Writes the values of `row` that `part` touches to `tile`, which has room for kDecodedRowMargin more. Equal to
/// Lp8Rows::decode().
void decode_lp8(const PackedRows& packed, std::int64_t row, const ImagePart& part, std::int8_t* tile);

}  // namespace octavo::kernels::cpu
