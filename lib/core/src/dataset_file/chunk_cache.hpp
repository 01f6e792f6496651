// Chunks that were inflated lately, so that samples that are read one by one do not inflate theirs each time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dataset_file/index.hpp"

namespace octavo::dataset_file {

/// The bytes of a chunk, inflated.
class InflatedChunk {
 public:
  explicit InflatedChunk(std::size_t bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(bytes)), byte_count_(bytes) {}
  std::span<std::byte> bytes() { return {bytes_.get(), byte_count_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), byte_count_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t byte_count_;
};

/// Keeps the chunks that were asked for last, up to a number of bytes. Safe to use from several threads, and in a child
/// of fork(), which begins with an empty cache.
class ChunkCache {
 public:
  explicit ChunkCache(std::int64_t most_bytes);
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// The chunk, or null.
  std::shared_ptr<const InflatedChunk> find(const StoredChunk& chunk) const;
  /// Lets go of others to make room. A chunk larger than all the room there is is not kept.
  void keep(const StoredChunk& chunk, std::shared_ptr<const InflatedChunk> inflated) const;

 private:
  struct State;
  State& state() const;

  const std::int64_t most_bytes_;
  mutable std::atomic<State*> state_;
};

}  // namespace octavo::dataset_file
