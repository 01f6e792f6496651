// Runs work that may throw on a thread pool.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>

#include "backend/thread_pool.hpp"

namespace octavo::dataset_file {

/// Calls work(piece) for every piece in [0, piece_count) on the pool, then after(). An exception from after() takes
/// precedence. Otherwise rethrows the exception of the failed piece with the lowest number, so that the result does not
/// depend on timing.
template <typename Work, typename After>
void run_guarded(backend::ThreadPool& pool, std::int64_t piece_count, const Work& work, const After& after) {
  std::exception_ptr failure;
  std::int64_t failed_piece = piece_count;
  std::mutex failure_mutex;
  pool.run(piece_count, [&](std::int64_t piece) {
    try {
      work(piece);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (piece < failed_piece) {
        failed_piece = piece;
        failure = std::current_exception();
      }
    }
  });
  after();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace octavo::dataset_file
