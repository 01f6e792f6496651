// Taking times, and what is made of several.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace octavo::measuring {

/// Seconds that `work` takes.
template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The value below which `share` of them are.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace octavo::measuring
