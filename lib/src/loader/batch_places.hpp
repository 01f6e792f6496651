// Which places of an epoch's order a rank draws for a batch.
#pragma once

#include <algorithm>
#include <cstdint>

#include <octavo/loader.hpp>

#include "order_cursor.hpp"

namespace octavo::loader {

/// Positions [first, first + count) of an epoch.
struct BatchPlaces {
  std::int64_t first;
  std::int64_t count;  ///< 0 for a rank that has no part in the batch
};

/// Rank r of R draws places [floor(rB/R), floor((r+1)B/R)) of each batch; of a short one, those that exist.
inline BatchPlaces batch_places(const LoaderOptions& options, std::int64_t sample_count, std::int64_t step) {
  const std::int64_t B = options.batch_size;
  const kernels::BatchShare share = kernels::batch_share(B, options.rank, options.world_size);
  const std::int64_t batch_end = std::min(sample_count, (step + 1) * B);
  const std::int64_t first = std::min(batch_end, step * B + share.first);
  const std::int64_t end = std::min(batch_end, step * B + share.end);
  return {first, end - first};
}

/// Batches of an epoch; the last may be short unless it is dropped.
inline std::int64_t batches_per_epoch(const LoaderOptions& options, std::int64_t sample_count) {
  const std::int64_t B = options.batch_size;
  return options.drop_last ? sample_count / B : (sample_count + B - 1) / B;
}

}  // namespace octavo::loader
