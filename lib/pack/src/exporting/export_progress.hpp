// The progress of an export, summed over its threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo::exporting {

/// Counts the exported samples of one split. Thread-safe.
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

  /// Counts `samples` as done. Exceptions from the progress function propagate.
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
