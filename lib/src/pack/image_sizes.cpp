#include "pack/image_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace octavo::sources {
namespace {

constexpr std::size_t kMostListed = 10;

/// What lies within the outer fences of some numbers.
struct Fences {
  double low = 0.0, high = 0.0;

  explicit Fences(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const double lower = values[(values.size() - 1) / 4], upper = values[(values.size() - 1) * 3 / 4];
    // Where nearly all are alike, a little more or less is nothing to tell.
    const double distance = std::max(3.0 * (upper - lower), 1.0);
    low = lower - distance;
    high = upper + distance;
  }

  bool contain(double value) const { return low <= value && value <= high; }
};

}  // namespace

nlohmann::ordered_json ImageSizes::describe(const std::string& split, const SampleShape& target,
                                            const std::function<std::string(std::size_t)>& name_of) const {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i].height > 0) known.push_back(i);
  }
  if (known.empty()) return nullptr;

  const auto log_pixels = [&](std::size_t i) { return std::log2(double{1} * sizes_[i].height * sizes_[i].width); };
  const auto log_ratio = [&](std::size_t i) { return std::log2(double{1} * sizes_[i].width / sizes_[i].height); };
  std::vector<double> pixels, ratios;
  for (const std::size_t i : known) pixels.push_back(log_pixels(i)), ratios.push_back(log_ratio(i));
  const Fences usual_pixels(std::move(pixels)), usual_ratios(std::move(ratios));

  const auto text_of = [&](std::size_t i) {
    return std::to_string(sizes_[i].height) + "x" + std::to_string(sizes_[i].width);
  };
  std::int64_t enlarged_count = 0, outlier_count = 0;
  auto first_outliers = nlohmann::ordered_json::array();
  for (const std::size_t i : known) {
    if (sizes_[i].height < target.height || sizes_[i].width < target.width) ++enlarged_count;
    if (usual_pixels.contain(log_pixels(i)) && usual_ratios.contain(log_ratio(i))) continue;
    ++outlier_count;
    if (first_outliers.size() < kMostListed) first_outliers.push_back({{"name", name_of(i)}, {"size", text_of(i)}});
  }

  std::stable_sort(known.begin(), known.end(),
                   [&](std::size_t a, std::size_t b) { return log_pixels(a) < log_pixels(b); });
  return {{"split", split},
          {"images", known.size()},
          {"smallest", text_of(known.front())},
          {"median", text_of(known[(known.size() - 1) / 2])},
          {"largest", text_of(known.back())},
          {"enlarged", enlarged_count},
          {"outliers", outlier_count},
          {"first_outliers", first_outliers}};
}

}  // namespace octavo::sources
