#include "format/chunks/chunk_layout.hpp"

#include "format/limits.hpp"

namespace octavo::dataset_file {
namespace {

/// Large enough to make the cost per chunk negligible, small enough to stay in a core's cache.
constexpr std::int64_t kUsualChunkBytes = std::int64_t{1} << 20;
/// HDF5 programs look up chunks in a list, and some scan it from the beginning each time.
constexpr std::int64_t kUsualChunks = 8000;

}  // namespace

ChunkLayout chunk_layout_for(std::int64_t sample_count, std::int64_t sample_bytes) {
  // The products do not overflow: a split is smaller than 2^53 bytes.
  const std::int64_t wanted_bytes = std::max(kUsualChunkBytes, sample_count * sample_bytes / kUsualChunks);
  const std::int64_t most = std::max<std::int64_t>(1, kMostChunkBytes / sample_bytes);
  const std::int64_t wanted = (wanted_bytes + sample_bytes - 1) / sample_bytes;
  return {sample_count, sample_bytes, std::min({wanted, most, sample_count})};
}

}  // namespace octavo::dataset_file
