// Resamples images along one axis at a time, in integers: the same bits on every processor.
#pragma once

#include <cstdint>

#include "kernels/augment/axis_filter.hpp"

namespace octavo::kernels::cpu {

using kernels::kWeightBits;
/// Rows that the second pass processes together.
inline constexpr std::int64_t kTileRows = 16;

/// The filter of one axis: output i is the sum of `tap_count` inputs from `first[i]` on, times their weights.
struct ResampleAxis {
  const std::int32_t* first = nullptr;    ///< [output_count]
  const std::int16_t* weights = nullptr;  ///< [output_count, tap_count]
  std::int64_t output_count = 0;
  std::int64_t tap_count = 0;
  bool is_cubic = false;  ///< which between_format() the sums of the first pass have
};

/// Computes output `output` of the filter, down the rows of an image:
/// out[i] = the sum of weight[t] * rows[first + t][i], rounded to between_format().
///
/// rows  uint8 [inputs of the axis, value_count], `row_stride` apart
/// out   uint16 [value_count]
void blend_rows(const ResampleAxis& axis, std::int64_t output, const std::uint8_t* rows, std::int64_t row_stride,
                std::int64_t value_count, std::uint16_t* out);

/// The same for rows of codes, to which 128 is added.
void blend_code_rows(const ResampleAxis& axis, std::int64_t output, const std::int8_t* rows, std::int64_t row_stride,
                     std::int64_t value_count, std::uint16_t* out);

/// Transposes [kTileRows, value_count] to [value_count, kTileRows].
void transpose_tile(const std::uint16_t* rows, std::int64_t value_count, std::uint16_t* tile);

/// Computes all outputs of the filter, along the rows of a tile: the sums of weight[t] * tile[first + t], rounded to
/// levels, and limited to 0 and 255.
///
/// tile    uint16 [inputs of the axis, channels, kTileRows]
/// out     pixel (y, x) of channel c goes to out[c * plane_stride + y * row_stride + x]
/// rows    number of rows of the tile to compute, at most kTileRows
void blend_columns(const ResampleAxis& axis, const std::uint16_t* tile, std::int64_t channels, std::int64_t rows,
                   std::int64_t row_stride, std::int64_t plane_stride, std::uint8_t* out);

}  // namespace octavo::kernels::cpu
