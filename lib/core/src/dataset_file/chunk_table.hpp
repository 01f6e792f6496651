// The dataset `chunks` of a deflated split: where each chunk lies, and the hash of what lies there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataset_file/index.hpp"

namespace octavo::dataset_file {

/// Bytes of an entry: uint64 offset, stored bytes, HDF5's filter mask (0: deflated; 1: as it is), XXH3-64 of them.
inline constexpr std::int64_t kChunkEntryWords = 4;
inline constexpr std::int64_t kChunkEntryBytes = 8 * kChunkEntryWords;

std::vector<std::uint64_t> encode_chunk_table(const std::vector<StoredChunk>& chunks);

/// The chunks in the bytes of a table. Throws FormatError, with the entry that is wrong (which names no file or split),
/// for a filter mask that this build does not know or a number of bytes that cannot become a chunk of `chunk_bytes`.
std::vector<StoredChunk> decode_chunk_table(std::span<const std::byte> table, std::int64_t chunk_bytes);

}  // namespace octavo::dataset_file
