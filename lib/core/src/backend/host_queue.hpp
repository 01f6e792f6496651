// A stream on the CPU: a thread that does what it is given, in order.
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
  /// Finishes what it was given, then ends.
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
  std::thread thread_;  // last, so that all else exists when it starts
};

/// An event on the CPU: happens when a queue gets to it. One that was never recorded has happened.
class HostEvent {
 public:
  /// To be called before the task that calls happen() is pushed.
  void expect();
  void happen();
  /// How often it was expected so far.
  std::uint64_t expected();
  /// Waits until it has happened `times` times: for what was recorded before the wait was, not for what came later.
  void wait_for(std::uint64_t times);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t expected_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace octavo::backend
