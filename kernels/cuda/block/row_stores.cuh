// Stores rows of eight codes that lanes have decoded, as values or as codes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cache_policy.hpp"
#include "kernels/codecs/lp8_tile.hpp"
#include "kernels/codecs/value_step.hpp"
#include "kernels/cuda/block/decode_words.cuh"

namespace octavo::kernels::cuda {

/// Where a lane stores its rows.
template <typename Value>
struct RowTarget {
  Value* first;           ///< the first row
  std::uint32_t rows;     ///< how many there are
  std::uint32_t step;     ///< the step of the loop that stores the first one; each step stores one
  std::uint32_t columns;  ///< of a row
  std::uint32_t stride;   ///< values from row to row
};

/// The codes of a row, whose signs are flipped, before they were divided by their step.
__device__ inline EightCodes multiplied(const EightCodes& codes, std::uint32_t value_step) {
  if (value_step == 1) return codes;
  return {multiply_bytes(codes.low, value_step), multiply_bytes(codes.high, value_step)};
}

/// Stores a row of eight values per lane and step. The output is aligned to 16 bytes, and so is each row.
///
/// Four float32 values are a store; lanes exchange half of their codes with a neighbor, so that a store of a warp
/// writes whole sectors. Eight values of half types are half a sector. With kSteps, where each lane of a pair is a row
/// behind the one on its left, the left one waits for it, so that both halves are stored at once. All lanes of a warp
/// call these functions.
template <typename Value, bool kSteps>
class RowStores {
 public:
  /// `map` is that of the rows of this lane, and `value_step` that of all rows.
  __device__ RowStores(const RowTarget<Value>& to, Affine map, std::uint32_t value_step, const L2Policy& policy)
      : policy_(policy), value_step_(value_step), stride_(to.stride * sizeof(Value)) {
    if constexpr (kExchanges) {
      is_odd_ = threadIdx.x % 2 != 0;
      const auto address = reinterpret_cast<unsigned long long>(first_step(to));
      const unsigned long long other = __shfl_xor_sync(~0u, address, 1);
      const std::uint32_t other_rows = __shfl_xor_sync(~0u, to.rows, 1), other_step = __shfl_xor_sync(~0u, to.step, 1);
      out_[0] = reinterpret_cast<char*>((is_odd_ ? other : address) + (is_odd_ ? 16 : 0));
      out_[1] = reinterpret_cast<char*>((is_odd_ ? address : other) + (is_odd_ ? 16 : 0));
      rows_[0] = is_odd_ ? other_rows : to.rows;
      rows_[1] = is_odd_ ? to.rows : other_rows;
      steps_[0] = is_odd_ ? other_step : to.step;
      steps_[1] = is_odd_ ? to.step : other_step;
      const Affine other_map = {__shfl_xor_sync(~0u, map.scale, 1), __shfl_xor_sync(~0u, map.shift, 1)};
      maps_[0] = is_odd_ ? other_map : map;
      maps_[1] = is_odd_ ? map : other_map;
    } else {
      waits_ = kSteps && threadIdx.x % 2 == 0;
      const RowTarget<Value> later = {to.first, to.rows, to.step + (waits_ ? 1 : 0), to.columns, to.stride};
      out_[0] = reinterpret_cast<char*>(first_step(later));
      rows_[0] = later.rows;
      steps_[0] = later.step;
      maps_[0] = map;
    }
  }

  /// The codes, whose signs are flipped, may be any if the lane has no row in this step. Call it for each step from 0
  /// on. With kIsCommon, the step of the values is 1, and all lanes that have rows have one in this step.
  template <bool kIsCommon>
  __device__ void store(std::uint32_t step, const EightCodes& divided) {
    const EightCodes codes = kIsCommon ? divided : multiplied(divided, value_step_);
    for (char*& out : out_) out += stride_;
    const auto has_row = [&](int i) { return kIsCommon ? rows_[i] != 0 : step - steps_[i] < rows_[i]; };
    if constexpr (kExchanges) {
      const std::uint32_t other = __shfl_xor_sync(~0u, is_odd_ ? codes.low : codes.high, 1);
      const Words<4> first = {{is_odd_ ? other : codes.low}}, second = {{is_odd_ ? codes.high : other}};
      policy_.store(has_row(0), out_[0], decode_words<Value>(first, [&](int) { return maps_[0]; }));
      policy_.store(has_row(1), out_[1], decode_words<Value>(second, [&](int) { return maps_[1]; }));
    } else {
      const Words<8> eight = {{waits_ ? before_.low : codes.low, waits_ ? before_.high : codes.high}};
      if constexpr (kSteps) before_ = codes;
      policy_.store(has_row(0), out_[0], decode_words<Value>(eight, [&](int) { return maps_[0]; }));
    }
  }

 private:
  static constexpr bool kExchanges = sizeof(Value) == 4;
  static_assert(kExchanges || sizeof(Value) == 2);

  /// Where the row of step -1 would be.
  static __device__ Value* first_step(const RowTarget<Value>& to) {
    return to.first - (static_cast<std::int64_t>(to.step) + 1) * to.stride;
  }

  const L2Policy& policy_;
  std::uint32_t value_step_;
  std::uint32_t stride_;           ///< bytes from row to row
  char* out_[kExchanges ? 2 : 1];  ///< where the row of the last step would be
  std::uint32_t rows_[2], steps_[2];
  Affine maps_[2];
  bool is_odd_ = false;
  bool waits_ = false;  ///< stores the row before
  EightCodes before_ = {0, 0};
};

/// Stores the codes themselves, in memory that is aligned to 8 bytes.
template <bool kSteps>
class RowStores<std::int8_t, kSteps> {
 public:
  __device__ RowStores(const RowTarget<std::int8_t>& to, Affine, std::uint32_t value_step, const L2Policy&)
      : to_(to), value_step_(value_step) {}

  template <bool kIsCommon>
  __device__ void store(std::uint32_t step, const EightCodes& divided) const {
    const std::uint32_t y = step - to_.step;
    if (y >= to_.rows) return;
    const EightCodes flipped = kIsCommon ? divided : multiplied(divided, value_step_);
    std::int8_t* const out = to_.first + static_cast<std::int64_t>(y) * to_.stride;
    const EightCodes codes = {flip_signs(flipped.low), flip_signs(flipped.high)};
    if (to_.stride % 8 == 0) {
      *reinterpret_cast<Words<8>*>(out) = {{codes.low, codes.high}};
    } else if (to_.stride % 4 == 0) {
      *reinterpret_cast<std::uint32_t*>(out) = codes.low;
      if (to_.columns > 4) *reinterpret_cast<std::uint32_t*>(out + 4) = codes.high;
    } else {
#pragma unroll
      for (std::uint32_t x = 0; x < 8; ++x) {
        const std::uint32_t word = x < 4 ? codes.low : codes.high;
        if (x < to_.columns) out[x] = static_cast<std::int8_t>(word >> 8 * (x % 4));
      }
    }
  }

 private:
  RowTarget<std::int8_t> to_;
  std::uint32_t value_step_;
};

}  // namespace octavo::kernels::cuda
