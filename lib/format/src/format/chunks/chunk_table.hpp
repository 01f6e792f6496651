// The dataset `chunks` of a split whose images are in chunks: the extent and the hash of each stored chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/index/index.hpp"

namespace octavo::dataset_file {

/// Bytes of an entry, four uint64: offset, stored size, HDF5's filter mask (0: encoded; 1: plain), XXH3-64 of the
/// stored bytes.
inline constexpr std::int64_t kChunkEntryWords = 4;
inline constexpr std::int64_t kChunkEntryBytes = 8 * kChunkEntryWords;

std::vector<std::uint64_t> encode_chunk_table(const std::vector<StoredChunk>& chunks);

/// Decodes the chunks in the bytes of a table. Throws FormatError with the invalid entry (the message does not name
/// file or split) for an unknown filter mask or a stored size that `codec` cannot decode to a chunk of `chunk_bytes`.
std::vector<StoredChunk> decode_chunk_table(std::span<const std::byte> table, std::int64_t chunk_bytes,
                                            const Codec& codec);

}  // namespace octavo::dataset_file
