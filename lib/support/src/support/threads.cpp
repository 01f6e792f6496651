#include "support/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace octavo {
namespace {

int threads_by_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&set);
}

/// The CPU quota of this process's control group (version 2), rounded up; a large number if there is none.
int threads_by_cgroup() {
  constexpr int kUnlimited = 1 << 20;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    for (const std::string& folder : {"/sys/fs/cgroup" + line.substr(3), std::string("/sys/fs/cgroup")}) {
      std::ifstream file(folder + "/cpu.max");
      std::string quota;
      double period_us = 0;
      if (file >> quota >> period_us && quota != "max" && period_us > 0) {
        return std::max(1, static_cast<int>(std::ceil(std::atof(quota.c_str()) / period_us)));
      }
    }
  }
  return kUnlimited;
}

}  // namespace

int available_threads() { return std::max(1, std::min(threads_by_affinity(), threads_by_cgroup())); }

int resolve_thread_count(int requested) { return requested > 0 ? requested : available_threads(); }

void run_on_threads(int thread_count, const std::function<void(int)>& work) {
  std::mutex mutex;
  std::exception_ptr first_failure;
  const auto guarded = [&](int index) {
    try {
      work(index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_failure) first_failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    int started = 1;
    try {
      for (; started < thread_count; ++started) threads.emplace_back(guarded, started);
    } catch (const std::system_error&) {
      // No more threads are available: this thread does their work too.
    }
    guarded(0);
    for (int index = started; index < thread_count; ++index) guarded(index);
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace octavo
