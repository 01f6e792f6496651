// Runs long calls on a worker thread, while the calling thread shows progress and handles Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <octavo/progress.hpp>
#include <optional>
#include <utility>

namespace octavo::python {

/// Calls work(progress function) on another thread, without the GIL. Meanwhile the calling thread passes progress to
/// `on_progress(stage, done, total, done_bytes, total_bytes)`, unless that is None, and lets Python handle signals. An
/// exception from either cancels the work; once the work has cleaned up, the exception is rethrown here.
void run_interruptibly(const nanobind::object& on_progress, const std::function<void(const ProgressFunction&)>& work);

/// The same for work with a result.
template <typename Work>
auto interruptibly(const nanobind::object& on_progress, const Work& work) {
  std::optional<decltype(work(ProgressFunction{}))> result;
  run_interruptibly(on_progress, [&](const ProgressFunction& progress) { result.emplace(work(progress)); });
  return std::move(*result);
}

}  // namespace octavo::python
