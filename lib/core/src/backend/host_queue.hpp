// A stream on the CPU: a thread that runs its tasks in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace octavo::backend {

/// Tasks must not throw.
class HostQueue {
 public:
  HostQueue();
  /// Finishes all pushed tasks.
  ~HostQueue();

  void push(std::function<void()> task);
  /// Waits until everything pushed so far is done.
  void drain();

 private:
  void work_until_stopped();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::uint64_t pushed_count_ = 0;
  std::uint64_t done_count_ = 0;
  bool stop_ = false;
  std::thread thread_;  // last, so that all other members exist when it starts
};

/// An event on the CPU: completes when a queue reaches it. An event that was never recorded is complete.
class HostEvent {
 public:
  /// Call this before pushing the task that calls happen().
  void expect();
  void happen();
  /// Number of expect() calls so far.
  std::uint64_t expected();
  /// Waits until it has happened `times` times: for the records before the wait, not for later ones.
  void wait_for(std::uint64_t times);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t expected_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace octavo::backend
