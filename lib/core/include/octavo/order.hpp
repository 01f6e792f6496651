// The order in which an epoch visits the samples.
#pragma once

#include <cstdint>

namespace octavo {

/// Version of the order algorithm. Saved loader states record it.
inline constexpr int kOrderVersion = 1;

/// Returns the sample at `position` of `epoch`. The mapping is a bijection of [0, sample_count), keyed by seed and
/// epoch and computed in constant time without a table (docs/numerics.md, "Order 1"). Throws InvalidArgument if
/// `position` is not in [0, sample_count).
std::int64_t shuffled_sample(std::uint64_t seed, std::uint64_t epoch, std::int64_t position, std::int64_t sample_count);

}  // namespace octavo
