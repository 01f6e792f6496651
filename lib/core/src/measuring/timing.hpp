// Times work and computes quantiles of the results.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace octavo::measuring {

/// Returns the duration of `work` in seconds.
template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the quantile of `values` at `share`, such as the median at 0.5. `values` must not be empty.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace octavo::measuring
