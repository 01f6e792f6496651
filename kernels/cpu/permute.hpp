// The order of samples for many positions.
#pragma once

#include "kernels/permute.hpp"

namespace octavo::kernels::cpu {

/// out[i] = permute(key, first_position + i) for i in [0, count), with SIMD instructions. The values are the same.
void permute_range(const OrderKey& key, std::int64_t first_position, std::int64_t count, std::int64_t* out);

}  // namespace octavo::kernels::cpu
