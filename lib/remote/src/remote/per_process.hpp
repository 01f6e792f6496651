// State with locks and threads, which a child of fork() must not take from its parent.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace octavo::remote {

/// A State of this process. Its threads do not exist in a child of fork(), and its locks may be held there for ever:
/// the child leaks the state of its parent and makes its own on first use.
template <typename State>
class PerProcess {
 public:
  explicit PerProcess(std::function<std::unique_ptr<State>()> make)
      : make_(std::move(make)), process_(::getpid()), state_(make_()) {}
  ~PerProcess() {
    if (process_ != ::getpid()) static_cast<void>(state_.release());
  }
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  State& get() const {
    if (process_.load(std::memory_order_acquire) != ::getpid()) restart();
    return *state_;
  }

 private:
  void restart() const {
    // One thread of the child does this; the others wait briefly.
    while (is_restarting_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    if (process_ != ::getpid()) {
      static_cast<void>(state_.release());
      state_ = make_();
      process_.store(::getpid(), std::memory_order_release);
    }
    is_restarting_.clear(std::memory_order_release);
  }

  std::function<std::unique_ptr<State>()> make_;
  mutable std::atomic<pid_t> process_;
  mutable std::atomic_flag is_restarting_;
  mutable std::unique_ptr<State> state_;
};

}  // namespace octavo::remote
