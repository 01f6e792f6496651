// How the samples of a split are cut into chunks that are compressed one by one.
#pragma once

#include <algorithm>
#include <cstdint>

namespace octavo::dataset_file {

/// Chunks of equally many samples. In the file the last one is as long as the others, filled with zeros.
struct ChunkLayout {
  std::int64_t sample_count = 0;
  std::int64_t sample_bytes = 0;
  std::int64_t samples_per_chunk = 0;

  std::int64_t chunk_bytes() const { return samples_per_chunk * sample_bytes; }
  std::int64_t chunk_count() const { return (sample_count + samples_per_chunk - 1) / samples_per_chunk; }
  std::int64_t chunk_of(std::int64_t row) const { return row / samples_per_chunk; }
  std::int64_t first_row(std::int64_t chunk) const { return chunk * samples_per_chunk; }
  /// Behind its last row.
  std::int64_t end_row(std::int64_t chunk) const { return std::min(first_row(chunk + 1), sample_count); }
};

/// What a writer chooses: chunks of at least 1 MiB, and of more where there would be more than 8,000 of them.
ChunkLayout chunk_layout_for(std::int64_t sample_count, std::int64_t sample_bytes);

}  // namespace octavo::dataset_file
