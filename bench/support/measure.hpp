// Times several alternatives, interleaved, so that slow drifts of the machine affect all of them equally.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace octavo::bench {

/// One thing to time.
struct Subject {
  std::string name;
  double moved_bytes = 0;       ///< read and written by one run
  std::function<double()> run;  ///< runs it once; returns the seconds
};

/// The measurements of a subject.
struct Measurement {
  std::string name;
  double moved_bytes = 0;
  double median_seconds = 0;
  double spread = 0;  ///< (third quartile - first quartile) / median

  double bytes_per_second() const { return moved_bytes / median_seconds; }
};

/// Seconds that `work` takes.
template <typename Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return values[place];
}

/// Runs every subject once to warm up, then `rounds` rounds of all of them.
inline std::vector<Measurement> measure(const std::vector<Subject>& subjects, int rounds) {
  std::vector<std::vector<double>> seconds(subjects.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      const double elapsed = subjects[i].run();
      if (round >= 0) seconds[i].push_back(elapsed);
    }
  }
  std::vector<Measurement> measurements;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const double median = quantile(seconds[i], 0.5);
    measurements.push_back({subjects[i].name, subjects[i].moved_bytes, median,
                            (quantile(seconds[i], 0.75) - quantile(seconds[i], 0.25)) / median});
  }
  return measurements;
}

}  // namespace octavo::bench
