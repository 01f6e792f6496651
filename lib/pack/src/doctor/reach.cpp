#include "doctor/reach.hpp"

#include <algorithm>
#include <cmath>

namespace octavo::doctor {
namespace {

constexpr std::size_t kReferences = 256;
constexpr std::size_t kNearDivisor = 20;
constexpr std::size_t kFewestNear = 8, kFewestReferences = 15;
/// That of photographs is 0.5 to 1 (docs/results/doctor.md).
constexpr double kUsualReach = 0.7;
/// Frames of one video may be more than 5 % of a dataset, and copies of each other. This is the reach of the densest
/// part of Fashion-MNIST.
constexpr double kLeastReach = 0.25;

}  // namespace

std::vector<std::size_t> reference_numbers(std::size_t count) {
  std::vector<std::size_t> numbers;
  const std::size_t chosen = std::min(kReferences, count);
  for (std::size_t i = 0; i < chosen; ++i) numbers.push_back(i * count / chosen);
  return numbers;
}

double reach_of(std::vector<double>& squared_distances) {
  if (squared_distances.size() < kFewestReferences) return kUsualReach;
  const std::size_t rank = std::max(squared_distances.size() / kNearDivisor, kFewestNear);
  const auto ranked = squared_distances.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(squared_distances.begin(), ranked, squared_distances.end());
  return std::max(kLeastReach, std::sqrt(*ranked));
}

}  // namespace octavo::doctor
