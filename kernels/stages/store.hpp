// Store: the last stage of a gather rounds a float32 value to the output type.
#pragma once

#include <cstdint>
#include <type_traits>

#include <octavo/types.hpp>

#include "kernels/host_device.hpp"
#include "kernels/intrinsics.hpp"

namespace octavo::kernels {

/// A float16 or bfloat16 value as its bits. Distinct types, so that templates can distinguish them.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

/// Rounds `value` to the output type.
template <typename Value>
OCTAVO_HOST_DEVICE inline Value round_to(float value) {
  if constexpr (std::is_same_v<Value, float>)
    return value;
  else if constexpr (std::is_same_v<Value, Float16>)
    return Float16{to_float16_bits(value)};
  else
    return BFloat16{to_bfloat16_bits(value)};
}

/// Rounds two values, in address order, to one word of a 2-byte output type.
template <typename Value>
OCTAVO_HOST_DEVICE inline std::uint32_t round_pair_to(float first, float second) {
  if constexpr (std::is_same_v<Value, Float16>)
    return to_float16_pair(first, second);
  else
    return to_bfloat16_pair(first, second);
}

/// Expands instantiate(Value) for the C++ type of each output type, to instantiate templates that other files declare.
#define OCTAVO_FOR_VALUE_TYPES(instantiate) instantiate(float) instantiate(Float16) instantiate(BFloat16)

/// Calls visit(Value{}) with the C++ type of output values of `type`. Does nothing for integer types.
template <typename Visit>
void visit_value_type(DType type, const Visit& visit) {
  switch (type) {
    case DType::float32:
      return visit(float{});
    case DType::float16:
      return visit(Float16{});
    case DType::bfloat16:
      return visit(BFloat16{});
    case DType::int32:
    case DType::int64:
    case DType::uint8:
      return;
  }
}

}  // namespace octavo::kernels
