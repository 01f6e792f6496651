// Counting the progress of many threads and reporting it about ten times per second.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <octavo/progress.hpp>

namespace octavo::packing {

/// Counts finished samples and calls a ProgressFunction from time to time, from one thread at a time, and always for
/// the first and the last piece of a stage. Thread-safe.
class ProgressMeter {
 public:
  ProgressMeter(const ProgressFunction& on_progress, std::string stage, std::int64_t total_samples,
                std::int64_t bytes_per_sample)
      : on_progress_(on_progress), stage_(std::move(stage)), bytes_per_sample_(bytes_per_sample) {
    progress_.stage = stage_;
    progress_.total_samples = total_samples;
    progress_.total_bytes = total_samples * bytes_per_sample;
  }
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// Counts `samples` as done. Propagates exceptions of the function.
  void add(std::int64_t samples) {
    if (!on_progress_) return;
    const std::lock_guard lock(mutex_);
    progress_.done_samples += samples;
    progress_.done_bytes += samples * bytes_per_sample_;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_call_ && progress_.done_samples != progress_.total_samples) return;
    next_call_ = now + std::chrono::milliseconds(100);
    on_progress_(progress_);
  }

 private:
  const ProgressFunction& on_progress_;
  const std::string stage_;
  const std::int64_t bytes_per_sample_;
  std::mutex mutex_;
  Progress progress_;
  std::chrono::steady_clock::time_point next_call_ = std::chrono::steady_clock::now();
};

}  // namespace octavo::packing
