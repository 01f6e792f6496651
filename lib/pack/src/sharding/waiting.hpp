// Waiting for another program that holds a lock.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include <octavo/progress.hpp>

namespace octavo::sharding {

/// Waits before the next attempt, and reports `what` as progress, where the user may interrupt.
inline void wait_for_lock(const ProgressFunction& on_progress, const std::string& what) {
  if (on_progress) on_progress({.stage = what, .total_samples = 1});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

}  // namespace octavo::sharding
