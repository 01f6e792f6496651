// Decodes packed codes to packed values: the work of a lane between a load and a store.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/affine.hpp"
#include "kernels/cache_policy.hpp"
#include "kernels/gather.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels::cuda {

/// Values per 16-byte store.
template <typename Value>
inline constexpr int kValuesPerStore = 16 / static_cast<int>(sizeof(Value));

/// Decodes kValues codes with flipped signs. map_of(i) is the map of code i.
template <typename Value, int kValues, typename MapOf>
__device__ inline Words<kValues* static_cast<int>(sizeof(Value))> decode_words(const Words<kValues>& codes,
                                                                               const MapOf& map_of) {
  Words<kValues* static_cast<int>(sizeof(Value))> values;
#pragma unroll
  for (int i = 0; i < kValues; i += 2) {
    const Affine first = map_of(i), second = map_of(i + 1);  // before the codes: fewer instructions
    const float low = decode(flipped_code(codes.words[i / 4], i % 4), first);
    const float high = decode(flipped_code(codes.words[i / 4], i % 4 + 1), second);
    if constexpr (std::is_same_v<Value, float>) {
      values.words[i] = bits_of(low);
      values.words[i + 1] = bits_of(high);
    } else {
      values.words[i / 2] = round_pair_to<Value>(low, high);
    }
  }
  return values;
}

}  // namespace octavo::kernels::cuda
