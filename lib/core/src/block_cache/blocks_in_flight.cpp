#include "block_cache/blocks_in_flight.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace octavo::block_cache {
namespace {

/// A source may forget what was started and never read, because the reader was cancelled.
constexpr auto kStartedFor = std::chrono::seconds(10);
/// Memory for started blocks is bounded: 65,536 blocks are 8 GiB.
constexpr std::size_t kMostStarted = 65536;

}  // namespace

struct BlocksInFlight::State {
  const pid_t process = ::getpid();
  std::mutex mutex;
  std::condition_variable released;
  std::unordered_set<std::int64_t> claimed;
  std::unordered_map<std::int64_t, std::chrono::steady_clock::time_point> started;
};

BlocksInFlight::BlocksInFlight() : state_(new State) {}

BlocksInFlight::~BlocksInFlight() {
  State* const state = state_;
  // A thread of the parent may have held the mutex during fork(): leak it.
  if (state->process == ::getpid()) delete state;
}

BlocksInFlight::State& BlocksInFlight::state() {
  State* state = state_.load(std::memory_order_acquire);
  if (state->process == ::getpid()) return *state;
  auto* const fresh = new State;
  if (state_.compare_exchange_strong(state, fresh)) return *fresh;
  delete fresh;  // another thread was first
  return *state;
}

BlocksInFlight::Claim::Claim(BlocksInFlight& in_flight, std::span<const std::int64_t> wanted) : in_flight_(in_flight) {
  mine_.reserve(wanted.size());
  State& state = in_flight_.state();
  const std::lock_guard lock(state.mutex);
  state.claimed.reserve(state.claimed.size() + wanted.size());
  for (const std::int64_t block : wanted) {
    if (state.claimed.contains(block)) {
      others_.push_back(block);
    } else {
      mine_.push_back(block);
      if (!state.started.contains(block)) unstarted_.push_back(block);
    }
  }
  try {
    for (const std::int64_t block : mine_) state.claimed.insert(block);
  } catch (...) {
    for (const std::int64_t block : mine_) state.claimed.erase(block);
    throw;
  }
}

void BlocksInFlight::Claim::release() noexcept {
  if (mine_.empty()) return;
  State& state = in_flight_.state();
  {
    const std::lock_guard lock(state.mutex);
    for (const std::int64_t block : mine_) {
      state.claimed.erase(block);
      state.started.erase(block);
    }
  }
  mine_.clear();
  state.released.notify_all();
}

void BlocksInFlight::wait_for(std::span<const std::int64_t> blocks) {
  State& state = this->state();
  std::unique_lock lock(state.mutex);
  for (const std::int64_t block : blocks) {
    state.released.wait(lock, [&] { return !state.claimed.contains(block); });
  }
}

std::vector<std::int64_t> BlocksInFlight::start(std::span<const std::int64_t> blocks) {
  std::vector<std::int64_t> started;
  State& state = this->state();
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(state.mutex);
  if (state.started.size() + blocks.size() > kMostStarted) state.started.clear();
  for (const std::int64_t block : blocks) {
    if (state.claimed.contains(block)) continue;
    const auto [place, is_new] = state.started.try_emplace(block, now);
    if (!is_new && now - place->second < kStartedFor) continue;
    place->second = now;
    started.push_back(block);
  }
  return started;
}

}  // namespace octavo::block_cache
