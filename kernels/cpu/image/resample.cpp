// Resampling with SIMD instructions, compiled once per instruction set and chosen at run time (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/image/resample.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/image/resample.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The rows hold values, or codes, to which 128 is added.
template <bool kIsCubic, typename Byte>
HWY_INLINE void blend_rows_of(const ResampleAxis& axis, std::int64_t output, const Byte* rows, std::int64_t row_stride,
                              std::int64_t value_count, std::uint16_t* out) {
  const hn::ScalableTag<std::int32_t> sums;
  const hn::Rebind<Byte, decltype(sums)> bytes;
  const hn::Rebind<std::uint16_t, decltype(sums)> between;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(sums));
  // The weights add up to 2^kWeightBits.
  constexpr BetweenFormat kBetween = between_format(kIsCubic);
  constexpr int kShift = kBetween.first_shift();
  constexpr std::int32_t kStart = kBetween.first_start() + (std::is_signed_v<Byte> ? 128 << kWeightBits : 0);
  constexpr std::int64_t kUnrolled = 4;  // sums in flight, because a multiplication takes ten cycles
  const std::int16_t* const weights = axis.weights + output * axis.tap_count;
  const Byte* const first_row = rows + axis.first[output] * row_stride;
  std::int64_t i = 0;
  for (; i + kUnrolled * kLanes <= value_count; i += kUnrolled * kLanes) {
    auto sum0 = hn::Set(sums, kStart), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    const Byte* from = first_row + i;
    for (std::int64_t t = 0; t < axis.tap_count; ++t, from += row_stride) {
      const auto weight = hn::Set(sums, std::int32_t{weights[t]});
      sum0 = hn::Add(sum0, hn::Mul(weight, hn::PromoteTo(sums, hn::LoadU(bytes, from))));
      sum1 = hn::Add(sum1, hn::Mul(weight, hn::PromoteTo(sums, hn::LoadU(bytes, from + kLanes))));
      sum2 = hn::Add(sum2, hn::Mul(weight, hn::PromoteTo(sums, hn::LoadU(bytes, from + 2 * kLanes))));
      sum3 = hn::Add(sum3, hn::Mul(weight, hn::PromoteTo(sums, hn::LoadU(bytes, from + 3 * kLanes))));
    }
    hn::StoreU(hn::DemoteTo(between, hn::ShiftRight<kShift>(sum0)), between, out + i);
    hn::StoreU(hn::DemoteTo(between, hn::ShiftRight<kShift>(sum1)), between, out + i + kLanes);
    hn::StoreU(hn::DemoteTo(between, hn::ShiftRight<kShift>(sum2)), between, out + i + 2 * kLanes);
    hn::StoreU(hn::DemoteTo(between, hn::ShiftRight<kShift>(sum3)), between, out + i + 3 * kLanes);
  }
  for (; i < value_count; ++i) {
    std::int32_t sum = kStart;
    for (std::int64_t t = 0; t < axis.tap_count; ++t) sum += weights[t] * first_row[t * row_stride + i];
    out[i] = static_cast<std::uint16_t>(sum >> kShift);
  }
}

void blend_rows_here(const ResampleAxis& axis, std::int64_t output, const std::uint8_t* rows, std::int64_t row_stride,
                     std::int64_t value_count, std::uint16_t* out) {
  if (axis.is_cubic)
    blend_rows_of<true>(axis, output, rows, row_stride, value_count, out);
  else
    blend_rows_of<false>(axis, output, rows, row_stride, value_count, out);
}
void blend_code_rows_here(const ResampleAxis& axis, std::int64_t output, const std::int8_t* rows,
                          std::int64_t row_stride, std::int64_t value_count, std::uint16_t* out) {
  if (axis.is_cubic)
    blend_rows_of<true>(axis, output, rows, row_stride, value_count, out);
  else
    blend_rows_of<false>(axis, output, rows, row_stride, value_count, out);
}

#if HWY_TARGET != HWY_SCALAR
/// Transposes kSide x kSide: log2(kSide) times, each row is interleaved with the row kSide / 2 below it.
template <std::int64_t kSide, typename Tag, typename V>
HWY_INLINE void transpose(Tag tag, V (&rows)[kSide]) {
  constexpr std::int64_t kHalf = kSide / 2;
  V from[kSide];
  for (std::int64_t step = 1; step < kSide; step *= 2) {
    for (std::int64_t i = 0; i < kSide; ++i) from[i] = rows[i];
    for (std::int64_t i = 0; i < kHalf; ++i) {
      rows[2 * i] = hn::InterleaveLower(tag, from[i], from[i + kHalf]);
      rows[2 * i + 1] = hn::InterleaveUpper(tag, from[i], from[i + kHalf]);
    }
  }
}
#endif

void transpose_tile_here(const std::uint16_t* rows, std::int64_t value_count, std::uint16_t* tile) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<std::uint16_t, 8> eight;
  for (; i + 8 <= value_count; i += 8) {
    for (std::int64_t top = 0; top < kTileRows; top += 8) {
      hn::Vec<decltype(eight)> block[8];
      for (std::int64_t r = 0; r < 8; ++r) block[r] = hn::LoadU(eight, rows + (top + r) * value_count + i);
      transpose<8>(eight, block);
      for (std::int64_t r = 0; r < 8; ++r) hn::StoreU(block[r], eight, tile + (i + r) * kTileRows + top);
    }
  }
#endif
  for (; i < value_count; ++i) {
    for (std::int64_t r = 0; r < kTileRows; ++r) tile[i * kTileRows + r] = rows[r * value_count + i];
  }
}

/// Computes the sums of one pixel column: [kTileRows].
template <bool kIsCubic>
HWY_INLINE void blend_column(const std::int16_t* weights, std::int64_t tap_count, const std::uint16_t* from,
                             std::int64_t stride, std::uint8_t* out) {
  const hn::CappedTag<std::int32_t, kTileRows> sums;
  const hn::Rebind<std::uint16_t, decltype(sums)> between;
  const hn::Rebind<std::uint8_t, decltype(sums)> bytes;
  constexpr std::size_t kLanes = hn::MaxLanes(sums);
  constexpr std::size_t kParts = kTileRows / kLanes;
  constexpr BetweenFormat kBetween = between_format(kIsCubic);
  hn::Vec<decltype(sums)> sum[kParts];
  for (std::size_t part = 0; part < kParts; ++part) sum[part] = hn::Set(sums, kBetween.second_start());
  for (std::int64_t t = 0; t < tap_count; ++t, from += stride) {
    const auto weight = hn::Set(sums, std::int32_t{weights[t]});
    for (std::size_t part = 0; part < kParts; ++part) {
      const auto values = hn::PromoteTo(sums, hn::LoadU(between, from + part * kLanes));
      sum[part] = hn::Add(sum[part], hn::Mul(weight, values));
    }
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<kBetween.second_shift()>(sum[part])), bytes, out + part * kLanes);
  }
}

/// Transposes [kTileRows columns, kTileRows rows] to rows. The last columns may be left out.
HWY_INLINE void store_block(const std::uint8_t (&block)[kTileRows][kTileRows], std::int64_t rows, std::int64_t columns,
                            std::int64_t row_stride, std::uint8_t* out) {
#if HWY_TARGET != HWY_SCALAR
  if (columns == kTileRows) {
    const hn::FixedTag<std::uint8_t, kTileRows> line;
    hn::Vec<decltype(line)> turned[kTileRows];
    for (std::int64_t x = 0; x < kTileRows; ++x) turned[x] = hn::LoadU(line, block[x]);
    transpose<kTileRows>(line, turned);
    for (std::int64_t y = 0; y < rows; ++y) hn::StoreU(turned[y], line, out + y * row_stride);
    return;
  }
#endif
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) out[y * row_stride + x] = block[x][y];
  }
}

template <bool kIsCubic>
HWY_INLINE void blend_columns_of(const ResampleAxis& axis, const std::uint16_t* tile, std::int64_t channels,
                                 std::int64_t rows, std::int64_t row_stride, std::int64_t plane_stride,
                                 std::uint8_t* out) {
  std::uint8_t block[kTileRows][kTileRows];
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t x0 = 0; x0 < axis.output_count; x0 += kTileRows) {
      const std::int64_t columns = std::min(kTileRows, axis.output_count - x0);
      for (std::int64_t x = 0; x < columns; ++x) {
        blend_column<kIsCubic>(axis.weights + (x0 + x) * axis.tap_count, axis.tap_count,
                               tile + (axis.first[x0 + x] * channels + c) * kTileRows, channels * kTileRows, block[x]);
      }
      store_block(block, rows, columns, row_stride, out + c * plane_stride + x0);
    }
  }
}

void blend_columns_here(const ResampleAxis& axis, const std::uint16_t* tile, std::int64_t channels, std::int64_t rows,
                        std::int64_t row_stride, std::int64_t plane_stride, std::uint8_t* out) {
  if (axis.is_cubic)
    blend_columns_of<true>(axis, tile, channels, rows, row_stride, plane_stride, out);
  else
    blend_columns_of<false>(axis, tile, channels, rows, row_stride, plane_stride, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace octavo::kernels::cpu {

HWY_EXPORT(blend_rows_here);
HWY_EXPORT(blend_code_rows_here);
HWY_EXPORT(transpose_tile_here);
HWY_EXPORT(blend_columns_here);

void blend_rows(const ResampleAxis& axis, std::int64_t output, const std::uint8_t* rows, std::int64_t row_stride,
                std::int64_t value_count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_rows_here)(axis, output, rows, row_stride, value_count, out);
}

void blend_code_rows(const ResampleAxis& axis, std::int64_t output, const std::int8_t* rows, std::int64_t row_stride,
                     std::int64_t value_count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_code_rows_here)(axis, output, rows, row_stride, value_count, out);
}

void transpose_tile(const std::uint16_t* rows, std::int64_t value_count, std::uint16_t* tile) {
  HWY_DYNAMIC_DISPATCH(transpose_tile_here)(rows, value_count, tile);
}

void blend_columns(const ResampleAxis& axis, const std::uint16_t* tile, std::int64_t channels, std::int64_t rows,
                   std::int64_t row_stride, std::int64_t plane_stride, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_columns_here)(axis, tile, channels, rows, row_stride, plane_stride, out);
}

}  // namespace octavo::kernels::cpu
#endif
