// Times gathers and compares them with copies on the same device.
#pragma once

#include <cstdint>

#include <octavo/batch_spec.hpp>
#include <octavo/measurements.hpp>
#include <octavo/store.hpp>

namespace octavo::measuring {

/// Smaller splits are not timed: the result would show call overhead, not data movement.
inline constexpr std::int64_t kSmallestTimedBytes = std::int64_t{64} << 10;

bool can_time_gathers(const Store& store);

/// Times whole batches in a shuffled order, alternating with copies of as many bytes from memory of the same size.
/// Requires can_time_gathers(). Throws OutOfMemory if the device has no room for the batch and the copies.
GatherSpeed time_gathers(const Store& store, const BatchSpec& spec, std::int64_t batch_size);

}  // namespace octavo::measuring
