// The order of samples, many positions at once.
#pragma once

#include "kernels/permute.hpp"

namespace octavo::kernels::cpu {

/// out[i] = permute(key, first_position + i) for i in [0, count): the same values, several at once.
void permute_range(const OrderKey& key, std::int64_t first_position, std::int64_t count, std::int64_t* out);

}  // namespace octavo::kernels::cpu
