// Multiplies decoded codes by their value step, with SIMD instructions.
#pragma once

#include <cstdint>

namespace octavo::kernels::cpu {

/// Applies multiply_code() to `count` codes.
void multiply_codes(std::int8_t* codes, std::int64_t count, std::uint32_t value_step);

}  // namespace octavo::kernels::cpu
