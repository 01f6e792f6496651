// Chooses the number of samples to read in one block.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataset_file/index.hpp"

namespace octavo::dataset_file {

/// Returns the number of samples in a block of about `block_bytes`: at least one. Blocks of chunked images hold whole
/// chunks, so each chunk is decoded once, directly into place.
inline std::int64_t rows_per_block(const SplitEntry& split, std::int64_t block_bytes) {
  const std::int64_t wanted = std::max<std::int64_t>(1, block_bytes / split.shape.values());
  if (!split.chunked) return wanted;
  const std::int64_t per_chunk = split.chunked->samples_per_chunk;
  return (wanted + per_chunk - 1) / per_chunk * per_chunk;
}

}  // namespace octavo::dataset_file
