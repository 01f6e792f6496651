#include "train/comparison.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::training {
namespace {

bool is_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// The first epoch also warms up: it counts only where there are too few others.
double median_seconds(const TrainResult& result) {
  std::vector<double> seconds;
  for (const EpochResult& epoch : result.epochs) seconds.push_back(epoch.seconds);
  if (seconds.size() >= 3) seconds.erase(seconds.begin());
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

}  // namespace

bool has_identical_losses(const TrainResult& a, const TrainResult& b) {
  return std::equal(a.epochs.begin(), a.epochs.end(), b.epochs.begin(), b.epochs.end(),
                    [](const EpochResult& left, const EpochResult& right) {
                      return is_same_bits(left.batch_losses, right.batch_losses);
                    });
}

double overhead_percent(const TrainResult& a, const TrainResult& b) {
  return (median_seconds(a) / median_seconds(b) - 1.0) * 100.0;
}

}  // namespace octavo::training
