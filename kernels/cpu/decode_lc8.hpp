// Decoding LC8 rows with SIMD instructions.
#pragma once

#include <cstdint>

#include "kernels/image_part.hpp"
#include "kernels/packed_rows.hpp"

namespace octavo::kernels::cpu {

/// Rows that are decoded side by side, at most: the strips of small images do not fill the lanes of a vector.
inline constexpr std::int64_t kMostLc8Rows = 16;

/// Writes the values of `count` rows that `part` touches to tiles that are `tile_bytes` apart. Equal to
/// Lc8Rows::decode().
void decode_lc8(const PackedRows& packed, const std::int64_t* rows, std::int64_t count, const ImagePart& part,
                std::int8_t* tiles, std::int64_t tile_bytes);

}  // namespace octavo::kernels::cpu
