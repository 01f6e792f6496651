// Reads deflated images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <octavo/byte_source.hpp>
#include "format/chunks/chunk_cache.hpp"
#include "format/index/index.hpp"

namespace octavo::dataset_file {

/// Size of the cache of decoded chunks of an open file.
inline constexpr std::int64_t kMostCachedChunkBytes = std::int64_t{64} << 20;

/// Reads the stored bytes of `chunk` and decodes them into `out`, which has the size of a whole chunk. Returns false if
/// they cannot be decoded to exactly that size; the contents of `out` are then unspecified. If `stored_hash` is not
/// null, it receives the hash of the stored bytes. Throws IoError.
bool read_chunk(const ByteSource& file, const Codec& codec, const StoredChunk& chunk, std::span<std::byte> out,
                std::uint64_t* stored_hash = nullptr);

/// Returns a text such as "chunk 3, which holds samples 21 to 27".
std::string describe_chunk(const SplitEntry& split, std::int64_t number);

/// Reads the splits of one file whose images are in chunks. Thread-safe.
class ChunkReader {
 public:
  explicit ChunkReader(const ByteSource& file) : file_(file), cache_(kMostCachedChunkBytes) {}

  /// Reads the codes of rows [first_row, first_row + count), which must exist. Whole chunks are decoded directly into
  /// `codes`; a partly read chunk is cached. Throws IoError, or FormatError with the damaged chunk.
  void read_rows(const SplitEntry& split, std::int64_t first_row, std::int64_t count, std::span<std::byte> codes) const;
  /// Returns a whole chunk, which is cached. Throws the same errors.
  std::shared_ptr<const DecodedChunk> chunk(const SplitEntry& split, std::int64_t number) const;

  /// Starts to read a chunk that is not in the cache.
  void start(const SplitEntry& split, std::int64_t number) const;

 private:
  void decode_into(const SplitEntry& split, std::int64_t number, std::span<std::byte> out) const;

  const ByteSource& file_;
  ChunkCache cache_;
};

}  // namespace octavo::dataset_file
