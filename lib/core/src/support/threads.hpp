// How many threads to use, and running one piece of work on each.
#pragma once

#include <functional>

namespace octavo {

/// Threads that this process may run at once: its CPU affinity, and the CPU quota of its control group. At least 1.
int available_threads();

/// `requested` if it is positive, else available_threads().
int resolve_thread_count(int requested);

/// Runs work(0) ... work(thread_count - 1), each on a thread of its own (0 on the caller's, and those for which the
/// system gives no thread), and waits for all.
/// The first exception that one of them throws is thrown again here, after all have ended.
void run_on_threads(int thread_count, const std::function<void(int)>& work);

}  // namespace octavo
