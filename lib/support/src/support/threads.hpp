// Chooses the number of threads and runs one piece of work on each.
#pragma once

#include <functional>

namespace octavo {

/// Number of threads that this process may run concurrently, by CPU affinity and the control group's CPU quota. At
/// least 1.
int available_threads();

/// Returns `requested` if it is positive, else available_threads().
int resolve_thread_count(int requested);

/// Runs work(0) ... work(thread_count - 1), each on its own thread, and waits for all. work(0) runs on the caller's
/// thread, and so does any piece for which the system provides no thread. Rethrows the first exception after all have
/// ended.
void run_on_threads(int thread_count, const std::function<void(int)>& work);

}  // namespace octavo
