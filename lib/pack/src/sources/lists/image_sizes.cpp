#include "sources/lists/image_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace octavo::sources {
namespace {

constexpr std::size_t kMostListed = 10;

/// Tukey's outer fences of a list of numbers.
struct Fences {
  double low = 0.0, high = 0.0;

  explicit Fences(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const double lower = values[(values.size() - 1) / 4], upper = values[(values.size() - 1) * 3 / 4];
    // If nearly all values are equal, small differences are not outliers.
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

  const auto pixels_of = [&](std::size_t i) { return std::int64_t{sizes_[i].height} * sizes_[i].width; };
  std::vector<double> pixels, ratios;
  for (const std::size_t i : known) {
    pixels.push_back(std::log2(static_cast<double>(pixels_of(i))));
    ratios.push_back(std::log2(static_cast<double>(sizes_[i].width) / sizes_[i].height));
  }
  const Fences usual_pixels(pixels), usual_ratios(ratios);

  const auto text_of = [&](std::size_t i) {
    return std::to_string(sizes_[i].height) + "x" + std::to_string(sizes_[i].width);
  };
  std::int64_t enlarged_count = 0, outlier_count = 0;
  auto first_outliers = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::size_t i = known[k];
    if (sizes_[i].height < target.height || sizes_[i].width < target.width) ++enlarged_count;
    if (usual_pixels.contain(pixels[k]) && usual_ratios.contain(ratios[k])) continue;
    ++outlier_count;
    if (first_outliers.size() < kMostListed) first_outliers.push_back({{"name", name_of(i)}, {"size", text_of(i)}});
  }

  // Of several images with the same size, take the first.
  const auto is_smaller = [&](std::size_t a, std::size_t b) {
    return std::pair(pixels_of(a), a) < std::pair(pixels_of(b), b);
  };
  const auto [smallest, largest] = std::minmax_element(known.begin(), known.end(), is_smaller);
  const std::string smallest_text = text_of(*smallest), largest_text = text_of(*largest);
  const auto median = known.begin() + (std::ssize(known) - 1) / 2;
  std::nth_element(known.begin(), median, known.end(), is_smaller);
  return {{"split", split},
          {"images", known.size()},
          {"smallest", smallest_text},
          {"median", text_of(*median)},
          {"largest", largest_text},
          {"enlarged", enlarged_count},
          {"outliers", outlier_count},
          {"first_outliers", first_outliers}};
}

}  // namespace octavo::sources
