// Long calls: done on a thread of their own, while the calling thread shows progress and looks for Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <octavo/progress.hpp>
#include <optional>
#include <utility>

namespace octavo::python {

/// Calls work(progress function) on another thread, without the GIL. Meanwhile the calling thread passes what the work
/// tells to `on_progress(stage, done, total, done_bytes, total_bytes)`, unless that is None, and lets Python handle
/// signals: an exception from either stops the work, which cleans up, and then comes out of here.
void run_interruptibly(const nanobind::object& on_progress, const std::function<void(const ProgressFunction&)>& work);

/// The same for work with a result.
template <typename Work>
auto interruptibly(const nanobind::object& on_progress, const Work& work) {
  std::optional<decltype(work(ProgressFunction{}))> result;
  run_interruptibly(on_progress, [&](const ProgressFunction& progress) { result.emplace(work(progress)); });
  return std::move(*result);
}

}  // namespace octavo::python
