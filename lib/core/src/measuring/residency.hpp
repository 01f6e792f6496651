// Measuring what it costs to keep a split on a device as float32, float16 and int8.
#pragma once

#include <vector>

#include <octavo/measurements.hpp>
#include <octavo/store.hpp>

namespace octavo::measuring {

/// What decoded samples cost, in the order float32, float16. `store` holds the packed ones and is not counted.
std::vector<ResidencyCost> measure_decoded(const Store& store, std::int64_t batch_size);

/// What packed samples cost: loads `split` and lets it go. `batch_buffer_bytes` is given, as a loader has them.
ResidencyCost measure_packed(const Split& split, Device device, std::int64_t batch_buffer_bytes);

/// Bytes that a loader over `store` takes on the device for batches of `type`.
std::int64_t batch_buffer_bytes(const Store& store, std::int64_t batch_size, DType type);

}  // namespace octavo::measuring
