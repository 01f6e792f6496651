// Bounding the memory of concurrent decodes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace octavo::sources {

/// The number of bytes that threads may hold in total. A thread that requests more than the total waits until it is the
/// only one. Thread-safe; each thread may hold one share.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : bytes_(bytes) {}

  /// A share, released when it goes out of scope.
  class Share {
   public:
    Share(MemoryBudget& budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) { budget_.take(bytes_); }
    ~Share() { budget_.give_back(bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    MemoryBudget& budget_;
    const std::int64_t bytes_;
  };

 private:
  void take(std::int64_t bytes) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return held_ == 0 || held_ + bytes <= bytes_; });
    held_ += bytes;
  }

  void give_back(std::int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      held_ -= bytes;
    }
    given_back_.notify_all();
  }

  const std::int64_t bytes_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::int64_t held_ = 0;
};

}  // namespace octavo::sources
