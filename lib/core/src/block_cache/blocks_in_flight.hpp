// Which blocks the threads of this process are fetching.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace octavo::block_cache {

/// Prevents threads from fetching a block twice. Thread-safe. A child of fork() begins with no blocks in flight: the
/// threads of its parent do not run there.
class BlocksInFlight {
 public:
  BlocksInFlight();
  ~BlocksInFlight();
  BlocksInFlight(const BlocksInFlight&) = delete;
  BlocksInFlight& operator=(const BlocksInFlight&) = delete;

  /// Some blocks, which other threads do not fetch while this object holds them.
  class Claim {
   public:
    /// Claims those of `wanted` that are not claimed.
    Claim(BlocksInFlight& in_flight, std::span<const std::int64_t> wanted);
    ~Claim() { release(); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    const std::vector<std::int64_t>& mine() const { return mine_; }
    /// Those of mine() whose fetching was not started before.
    const std::vector<std::int64_t>& unstarted() const { return unstarted_; }
    /// Those that other threads have claimed.
    const std::vector<std::int64_t>& others() const { return others_; }
    void release() noexcept;

   private:
    BlocksInFlight& in_flight_;
    std::vector<std::int64_t> mine_, unstarted_, others_;
  };

  /// Waits until no thread has a claim on any of these. The caller must not have a claim itself, so that no two threads
  /// wait for each other.
  void wait_for(std::span<const std::int64_t> blocks);

  /// Returns those of `blocks` whose fetching should be started: they are not claimed, and were not started a short
  /// time ago.
  std::vector<std::int64_t> start(std::span<const std::int64_t> blocks);

 private:
  struct State;
  State& state();
  std::atomic<State*> state_;
};

}  // namespace octavo::block_cache
