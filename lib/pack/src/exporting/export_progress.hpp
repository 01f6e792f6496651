// Telling how far an export is, for all its threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo::exporting {

/// Adds up exported samples of one split. Safe for use by several threads.
class ExportProgress {
 public:
  ExportProgress(const Split& split, const ProgressFunction& on_progress)
      : stage_("exporting " + split.name()), on_progress_(on_progress), sample_bytes_(split.shape().values()) {
    progress_.stage = stage_;
    progress_.total_samples = split.sample_count();
    progress_.total_bytes = split.packed_bytes();
  }
  ExportProgress(const ExportProgress&) = delete;
  ExportProgress& operator=(const ExportProgress&) = delete;

  /// Counts `samples` as done. Lets through what the function throws.
  void add(std::int64_t samples) {
    if (!on_progress_) return;
    const std::lock_guard lock(mutex_);
    progress_.done_samples += samples;
    progress_.done_bytes += samples * sample_bytes_;
    on_progress_(progress_);
  }

 private:
  std::string stage_;
  const ProgressFunction& on_progress_;
  std::int64_t sample_bytes_;
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace octavo::exporting
