#include "sources/lists/decoding/image_sizes.hpp"

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

std::optional<ImageSizeNotes> ImageSizes::describe(const std::string& split, const SampleShape& target,
                                                   const std::function<std::string(std::size_t)>& name_of) const {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i].height > 0) known.push_back(i);
  }
  if (known.empty()) return std::nullopt;

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
  ImageSizeNotes notes{.split = split, .images = std::ssize(known)};
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::size_t i = known[k];
    if (sizes_[i].height < target.height || sizes_[i].width < target.width) ++notes.enlarged;
    if (usual_pixels.contain(pixels[k]) && usual_ratios.contain(ratios[k])) continue;
    ++notes.outliers;
    if (notes.first_outliers.size() < kMostListed) notes.first_outliers.push_back({name_of(i), text_of(i)});
  }

  // Of several images with the same size, the first comes first.
  const auto is_smaller = [&](std::size_t a, std::size_t b) {
    return std::pair(pixels_of(a), a) < std::pair(pixels_of(b), b);
  };
  std::sort(known.begin(), known.end(), is_smaller);
  for (std::size_t tenth = 0; tenth <= 10; ++tenth) {
    notes.deciles.push_back(text_of(known[(known.size() - 1) * tenth / 10]));
  }
  notes.smallest = notes.deciles.front();
  notes.median = notes.deciles[5];
  notes.largest = notes.deciles.back();
  return notes;
}

}  // namespace octavo::sources
