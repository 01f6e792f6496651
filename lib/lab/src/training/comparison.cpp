#include "training/comparison.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::training {
namespace {

bool is_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

constexpr std::size_t kFewestEpochs = 3;
constexpr double kShortestSeconds = 0.1;

}  // namespace

bool has_identical_losses(const TrainResult& a, const TrainResult& b) {
  return std::equal(a.epochs.begin(), a.epochs.end(), b.epochs.begin(), b.epochs.end(),
                    [](const EpochResult& left, const EpochResult& right) {
                      return is_same_bits(left.batch_losses, right.batch_losses);
                    });
}

std::optional<double> overhead_percent(const TrainResult& a, const TrainResult& b) {
  const double a_seconds = a.median_epoch_seconds(), b_seconds = b.median_epoch_seconds();
  if (a.epochs.size() < kFewestEpochs || std::min(a_seconds, b_seconds) < kShortestSeconds) return std::nullopt;
  return (a_seconds / b_seconds - 1.0) * 100.0;
}

}  // namespace octavo::training

namespace octavo {

double TrainResult::median_epoch_seconds() const {
  std::vector<double> seconds;
  for (const EpochResult& epoch : epochs) seconds.push_back(epoch.seconds);
  if (seconds.empty()) return 0.0;
  if (seconds.size() >= training::kFewestEpochs) seconds.erase(seconds.begin());
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

}  // namespace octavo
