// How many samples are best read at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataset_file/index.hpp"

namespace octavo::dataset_file {

/// Samples of a block of about `block_bytes`: at least one, and of deflated images whole chunks, which are inflated
/// once and where they are wanted.
inline std::int64_t rows_per_block(const SplitEntry& split, std::int64_t block_bytes) {
  const std::int64_t wanted = std::max<std::int64_t>(1, block_bytes / split.shape.values());
  if (!split.deflated) return wanted;
  const std::int64_t per_chunk = split.deflated->samples_per_chunk;
  return (wanted + per_chunk - 1) / per_chunk * per_chunk;
}

}  // namespace octavo::dataset_file
