// Timing gathers against copies of the same device.
#pragma once

#include <octavo/report.hpp>
#include <octavo/store.hpp>

namespace octavo::report {

/// Whole float32 batches in a shuffled order, by turns with copies. Nothing for splits so small that a timing would be
/// of calls rather than of data, or if there is no memory for the copies.
std::optional<GatherSpeed> measure_gather(const Store& store, std::int64_t batch_size);

}  // namespace octavo::report
