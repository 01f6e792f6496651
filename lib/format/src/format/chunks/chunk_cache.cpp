#include "format/chunks/chunk_cache.hpp"

#include <unistd.h>

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace octavo::dataset_file {

/// The cache of one process.
struct ChunkCache::State {
  using Entry = std::pair<const StoredChunk*, std::shared_ptr<const DecodedChunk>>;
  const pid_t process = ::getpid();
  std::mutex mutex;
  std::list<Entry> entries;  ///< most recently used first
  std::unordered_map<const StoredChunk*, std::list<Entry>::iterator> places;
  std::int64_t bytes = 0;
};

ChunkCache::ChunkCache(std::int64_t most_bytes) : most_bytes_(most_bytes), state_(new State) {}
ChunkCache::~ChunkCache() {
  State* const last = state_.load();
  if (last->process == ::getpid()) delete last;
}

ChunkCache::State& ChunkCache::state() const {
  State* current = state_.load(std::memory_order_acquire);
  if (current->process == ::getpid()) return *current;
  // A thread of the parent may have held the mutex during fork(), and does not exist in the child to release it. So the
  // child leaks the old cache, once, and creates its own.
  auto fresh = std::make_unique<State>();
  if (state_.compare_exchange_strong(current, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *current;
}

std::shared_ptr<const DecodedChunk> ChunkCache::find(const StoredChunk& chunk) const {
  State& cache = state();
  const std::lock_guard lock(cache.mutex);
  const auto found = cache.places.find(&chunk);
  if (found == cache.places.end()) return nullptr;
  cache.entries.splice(cache.entries.begin(), cache.entries, found->second);
  return found->second->second;
}

void ChunkCache::keep(const StoredChunk& chunk, std::shared_ptr<const DecodedChunk> decoded) const {
  const auto bytes_of = [](const State::Entry& entry) {
    return static_cast<std::int64_t>(entry.second->bytes().size());
  };
  if (static_cast<std::int64_t>(decoded->bytes().size()) > most_bytes_) return;
  State& cache = state();
  const std::lock_guard lock(cache.mutex);
  if (cache.places.contains(&chunk)) return;  // another thread was faster
  cache.entries.emplace_front(&chunk, std::move(decoded));
  cache.places.emplace(&chunk, cache.entries.begin());
  cache.bytes += bytes_of(cache.entries.front());
  while (cache.bytes > most_bytes_) {
    cache.bytes -= bytes_of(cache.entries.back());
    cache.places.erase(cache.entries.back().first);
    cache.entries.pop_back();
  }
}

}  // namespace octavo::dataset_file
