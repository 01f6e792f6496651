#include "format/chunks/chunk_cache.hpp"

#include <thread>

#include "catch.hpp"

using octavo::dataset_file::ChunkCache;
using octavo::dataset_file::DecodedChunk;
using octavo::dataset_file::StoredChunk;

namespace {

std::shared_ptr<const DecodedChunk> chunk_of(std::size_t bytes) { return std::make_shared<DecodedChunk>(bytes); }

}  // namespace

TEST_CASE("the most recently used chunks are kept up to a byte limit", "[unit][archive]") {
  const ChunkCache cache(100);
  const std::vector<StoredChunk> chunks(4);
  REQUIRE(cache.find(chunks[0]) == nullptr);
  const auto first = chunk_of(40), second = chunk_of(40);
  cache.keep(chunks[0], first);
  cache.keep(chunks[1], second);
  REQUIRE(cache.find(chunks[0]) == first);
  cache.keep(chunks[2], chunk_of(40));  // 120 bytes: evicts chunk 1, the least recently used one
  REQUIRE(cache.find(chunks[1]) == nullptr);
  REQUIRE(cache.find(chunks[0]) == first);
  REQUIRE(cache.find(chunks[2]) != nullptr);
  REQUIRE(second.use_count() == 1);
}

TEST_CASE("a chunk larger than the cache is not kept and no chunk is kept twice", "[unit][archive]") {
  const ChunkCache cache(100);
  const std::vector<StoredChunk> chunks(2);
  const auto first = chunk_of(60), again = chunk_of(60);
  cache.keep(chunks[0], first);
  cache.keep(chunks[0], again);
  REQUIRE(cache.find(chunks[0]) == first);
  cache.keep(chunks[1], chunk_of(101));
  REQUIRE(cache.find(chunks[1]) == nullptr);
  REQUIRE(cache.find(chunks[0]) == first);
}

TEST_CASE("a chunk stays valid while it is used even if other threads evict it", "[unit][archive]") {
  const ChunkCache cache(50);
  const std::vector<StoredChunk> chunks(64);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < 2000; ++i) {
        const StoredChunk& chunk = chunks[(i * 7 + static_cast<std::size_t>(thread)) % chunks.size()];
        if (const auto kept = cache.find(chunk)) static_cast<void>(kept->bytes()[9]);
        const auto inflated = std::make_shared<DecodedChunk>(10);
        inflated->bytes()[9] = std::byte{1};
        cache.keep(chunk, inflated);
      }
    });
  }
  threads.clear();
  std::size_t kept = 0;
  for (const StoredChunk& chunk : chunks) kept += cache.find(chunk) != nullptr ? 1 : 0;
  REQUIRE(kept == 5);
}
