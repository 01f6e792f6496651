// Reading deflated images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dataset_file/chunk_cache.hpp"
#include "dataset_file/index.hpp"
#include "support/file.hpp"

namespace octavo::dataset_file {

/// Inflated chunks that an open file keeps.
inline constexpr std::int64_t kMostCachedChunkBytes = std::int64_t{64} << 20;

/// Reads the stored bytes of `chunk` and makes of them `out`, as many bytes as a whole chunk has. False if they do not
/// inflate to that; `out` is of no use then. `stored_hash`, unless it is null, is what the stored bytes hash to. Throws
/// IoError.
bool read_chunk(const File& file, const StoredChunk& chunk, std::span<std::byte> out,
                std::uint64_t* stored_hash = nullptr);

/// "chunk 3, which holds samples 21 to 27".
std::string describe_chunk(const SplitEntry& split, std::int64_t number);

/// Reads splits of one file whose images are deflated. Safe to use from several threads.
class ChunkReader {
 public:
  explicit ChunkReader(const File& file) : file_(file), cache_(kMostCachedChunkBytes) {}

  /// Codes of rows [first_row, first_row + count), which exist. Whole chunks are inflated where they are wanted; of
  /// others the inflated chunk is kept for a while. Throws IoError, or FormatError naming the chunk that is damaged.
  void read_rows(const SplitEntry& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes) const;
  /// A whole chunk, kept for a while. Throws the same.
  std::shared_ptr<const InflatedChunk> chunk(const SplitEntry& split, std::int64_t number) const;

 private:
  void inflate_into(const SplitEntry& split, std::int64_t number, std::span<std::byte> out) const;

  const File& file_;
  ChunkCache cache_;
};

}  // namespace octavo::dataset_file
