// The order in which an epoch visits the samples.
#pragma once

#include <cstdint>

namespace octavo {

/// The version of the order that this library draws; a saved loader state carries it.
inline constexpr int kOrderVersion = 1;

/// The sample at `position` of `epoch`: a bijection of [0, sample_count) keyed by seed and epoch, in constant time and
/// without a table (docs/numerics.md, "Order 1"). Throws InvalidArgument if position is not in [0, sample_count).
std::int64_t shuffled_sample(std::uint64_t seed, std::uint64_t epoch, std::int64_t position, std::int64_t sample_count);

}  // namespace octavo
