// Repeats the draws of the batches of an epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <octavo/loader.hpp>
#include <octavo/replay.hpp>

#include "loader/batch_order.hpp"
#include "store/stored_samples.hpp"

namespace octavo::loader {

/// The samples of batch `step` of `epoch`, and what they draw.
std::vector<DrawnSample> drawn_samples(const SampleShape& shape, const BatchOrder& order, std::int64_t epoch,
                                       std::int64_t step);

/// The digest of an epoch, 16 hex digits (docs/numerics.md, "Replay"): of its batches over all ranks, whatever the rank
/// of `options`.
std::string fingerprint(const SampleShape& shape, std::int64_t sample_count, LoaderOptions options, std::int64_t epoch);
/// The same, including the values of all batches. Makes every batch.
std::string fingerprint_with_pixels(const std::shared_ptr<const store::StoredSamples>& samples, LoaderOptions options,
                                    std::int64_t epoch);

}  // namespace octavo::loader
