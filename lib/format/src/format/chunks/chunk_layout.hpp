// How a split is divided into chunks, which are compressed separately.
#pragma once

#include <algorithm>
#include <cstdint>

namespace octavo::dataset_file {

/// Chunks with the same number of samples. In the file, the last one is padded with zeros to full length.
struct ChunkLayout {
  std::int64_t sample_count = 0;
  std::int64_t sample_bytes = 0;
  std::int64_t samples_per_chunk = 0;

  std::int64_t chunk_bytes() const { return samples_per_chunk * sample_bytes; }
  std::int64_t chunk_count() const { return (sample_count + samples_per_chunk - 1) / samples_per_chunk; }
  std::int64_t chunk_of(std::int64_t row) const { return row / samples_per_chunk; }
  std::int64_t first_row(std::int64_t chunk) const { return chunk * samples_per_chunk; }
  /// One past its last row.
  std::int64_t end_row(std::int64_t chunk) const { return std::min(first_row(chunk + 1), sample_count); }
};

/// The layout that a writer chooses: chunks of at least 1 MiB, or larger to keep their number at or below 8,000.
ChunkLayout chunk_layout_for(std::int64_t sample_count, std::int64_t sample_bytes);

}  // namespace octavo::dataset_file
