#include "support/interruptible.hpp"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;

/// How often the calling thread checks for signals and reports progress.
constexpr auto kPeriod = std::chrono::milliseconds(50);

/// Thrown by the progress function to cancel the work.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// The state that the two threads share.
class Call {
 public:
  /// Runs on the worker thread.
  void work(const std::function<void(const ProgressFunction&)>& work) {
    try {
      work([this](const Progress& progress) { note(progress); });
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    changed_.notify_one();
  }

  /// Runs on the calling thread, with the GIL, until the work is done.
  void accompany(const nb::object& on_progress) {
    while (!wait()) {
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!on_progress.is_none()) show(on_progress);
      } catch (...) {
        cancel(std::current_exception());
      }
    }
  }

  /// Runs after both; rethrows an interruption, or else the failure of the work.
  void finish() {
    if (interruption_ && failure_) std::rethrow_exception(interruption_);
    if (failure_) std::rethrow_exception(failure_);
    // The work completed before it could be cancelled; still report the interruption, such as Ctrl-C.
    if (interruption_) std::rethrow_exception(interruption_);
  }

  void show(const nb::object& on_progress) {
    Progress progress;
    std::string stage;
    {
      const std::lock_guard lock(mutex_);
      if (!has_progress_) return;
      has_progress_ = false;
      progress = progress_;
      stage = stage_;
    }
    on_progress(stage, progress.done_samples, progress.total_samples, progress.done_bytes, progress.total_bytes);
  }

 private:
  void note(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    if (is_cancelled_) throw Cancelled();
    progress_ = progress;
    stage_ = progress.stage;  // a copy, since the text may be gone when it is shown
    has_progress_ = true;
  }

  /// Waits up to kPeriod; returns whether the work is done.
  bool wait() {
    const GilRelease released;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPeriod, [this] { return is_done_; });
  }

  void cancel(std::exception_ptr reason) {
    if (interruption_) return;
    interruption_ = std::move(reason);
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Progress progress_;
  std::string stage_;
  bool has_progress_ = false;
  bool is_cancelled_ = false;
  bool is_done_ = false;
  std::exception_ptr failure_;       ///< of the work
  std::exception_ptr interruption_;  ///< of the calling thread: a signal, or on_progress
};

}  // namespace

void run_interruptibly(const nb::object& on_progress, const std::function<void(const ProgressFunction&)>& work) {
  Call call;
  {
    std::jthread worker([&] { call.work(work); });
    call.accompany(on_progress);
  }
  try {
    if (!on_progress.is_none()) call.show(on_progress);
  } catch (...) {
    call.finish();
    throw;
  }
  call.finish();
}

}  // namespace octavo::python
