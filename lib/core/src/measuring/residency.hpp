// Measures the memory use of a split on a device as float32, float16 and int8.
#pragma once

#include <vector>

#include <octavo/measurements.hpp>
#include <octavo/store.hpp>

namespace octavo::measuring {

/// Measures decoded samples, in the order float32, float16. `store` holds the packed samples and is not counted.
std::vector<ResidencyCost> measure_decoded(const Store& store, std::int64_t batch_size);

/// Measures packed samples: loads `split` and releases it. `batch_buffer_bytes` is copied to the result.
ResidencyCost measure_packed(const Split& split, Device device, std::int64_t batch_buffer_bytes);

/// Bytes on the device used by a loader over `store` for batches of `type`.
std::int64_t batch_buffer_bytes(const Store& store, std::int64_t batch_size, DType type);

}  // namespace octavo::measuring
