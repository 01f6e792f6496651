// Caches recently decoded chunks, so that reading samples one by one does not decode a chunk for each sample.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "format/index/index.hpp"

namespace octavo::dataset_file {

/// The decoded bytes of a chunk.
class DecodedChunk {
 public:
  explicit DecodedChunk(std::size_t bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(bytes)), byte_count_(bytes) {}
  std::span<std::byte> bytes() { return {bytes_.get(), byte_count_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), byte_count_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t byte_count_;
};

/// An LRU cache of chunks, limited in bytes. Thread-safe. A child of fork() starts with an empty cache.
class ChunkCache {
 public:
  explicit ChunkCache(std::int64_t most_bytes);
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// Returns the chunk, or null if it is not cached.
  std::shared_ptr<const DecodedChunk> find(const StoredChunk& chunk) const;
  /// Evicts other chunks to make room. Does not keep a chunk that is larger than the whole cache.
  void keep(const StoredChunk& chunk, std::shared_ptr<const DecodedChunk> decoded) const;

 private:
  struct State;
  State& state() const;

  const std::int64_t most_bytes_;
  mutable std::atomic<State*> state_;
};

}  // namespace octavo::dataset_file
