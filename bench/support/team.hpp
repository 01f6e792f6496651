// Runs threads that start together; the time is from the first start to the last end.
#pragma once

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace octavo::bench {

/// The number of threads that this process may use.
inline int thread_count_of_process() {
  cpu_set_t cpus;
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0) return std::max(1, CPU_COUNT(&cpus));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Runs work(0) ... work(thread_count - 1) in parallel; returns the seconds from the first start to the last end.
inline double run_team(int thread_count, const std::function<void(int)>& work) {
  using Clock = std::chrono::steady_clock;
  std::barrier start_line(thread_count);
  std::vector<Clock::time_point> starts(static_cast<std::size_t>(thread_count)), ends(starts);
  std::vector<std::exception_ptr> problems(static_cast<std::size_t>(thread_count));
  const auto timed = [&](int thread) {
    start_line.arrive_and_wait();
    starts[static_cast<std::size_t>(thread)] = Clock::now();
    try {
      work(thread);
    } catch (...) {
      problems[static_cast<std::size_t>(thread)] = std::current_exception();
    }
    ends[static_cast<std::size_t>(thread)] = Clock::now();
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < thread_count; ++thread) others.emplace_back(timed, thread);
    timed(0);
  }
  for (const std::exception_ptr& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                       *std::min_element(starts.begin(), starts.end()))
      .count();
}

}  // namespace octavo::bench
