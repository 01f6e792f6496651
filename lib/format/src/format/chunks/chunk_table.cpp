#include "format/chunks/chunk_table.hpp"

#include <cstring>
#include <limits>
#include <string>

#include <octavo/errors.hpp>

namespace octavo::dataset_file {
namespace {

/// Values of HDF5's filter mask: bit 0 is set if the first filter was skipped.
constexpr std::uint64_t kFilterApplied = 0;
constexpr std::uint64_t kFilterSkipped = 1;

[[noreturn]] void fail(std::size_t entry, const std::string& problem) {
  throw FormatError("chunk " + std::to_string(entry) + " " + problem);
}

std::int64_t count_in(std::uint64_t word, std::size_t entry) {
  if (word > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    fail(entry, "has an offset or length of 2^63 or more");
  }
  return static_cast<std::int64_t>(word);
}

bool can_be(std::int64_t stored_bytes, bool is_encoded, std::int64_t chunk_bytes, const Codec& codec) {
  if (!is_encoded) return stored_bytes == chunk_bytes;
  return stored_bytes < chunk_bytes && chunk_bytes / codec.most_expansion <= stored_bytes;
}

}  // namespace

std::vector<std::uint64_t> encode_chunk_table(const std::vector<StoredChunk>& chunks) {
  std::vector<std::uint64_t> words;
  words.reserve(chunks.size() * kChunkEntryWords);
  for (const StoredChunk& chunk : chunks) {
    words.insert(words.end(),
                 {static_cast<std::uint64_t>(chunk.extent.offset), static_cast<std::uint64_t>(chunk.extent.bytes),
                  chunk.is_encoded ? kFilterApplied : kFilterSkipped, *chunk.extent.hash});
  }
  return words;
}

std::vector<StoredChunk> decode_chunk_table(std::span<const std::byte> table, std::int64_t chunk_bytes,
                                            const Codec& codec) {
  std::vector<StoredChunk> chunks(table.size() / kChunkEntryBytes);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::uint64_t words[kChunkEntryWords];
    std::memcpy(words, table.data() + i * kChunkEntryBytes, kChunkEntryBytes);
    StoredChunk& chunk = chunks[i];
    chunk.extent = {count_in(words[0], i), count_in(words[1], i), words[3]};
    if (words[2] != kFilterApplied && words[2] != kFilterSkipped) {
      fail(i, "has an unknown filter mask; update Octavo");
    }
    chunk.is_encoded = words[2] == kFilterApplied;
    if (can_be(chunk.extent.bytes, chunk.is_encoded, chunk_bytes, codec)) continue;
    fail(i, "has " + std::to_string(chunk.extent.bytes) + " stored bytes, which cannot become a chunk of " +
                std::to_string(chunk_bytes) + " bytes");
  }
  return chunks;
}

}  // namespace octavo::dataset_file
