// Statistics of the original image sizes, with outliers.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <octavo/sample.hpp>

namespace octavo::sources {

/// Several threads may set the sizes of different images concurrently.
class ImageSizes {
 public:
  explicit ImageSizes(std::size_t image_count) : sizes_(image_count) {}

  void set(std::size_t image, std::int64_t height, std::int64_t width) {
    sizes_[image] = {static_cast<std::int32_t>(height), static_cast<std::int32_t>(width)};
  }

  /// The statistics for the provenance, over the images whose size was set:
  ///
  ///   {"split": "train", "images": 1000, "smallest": "90x120", "median": "300x400", "largest": "3000x4000",
  ///   "enlarged": 2,
  ///    "outliers": 1, "first_outliers": [{"name": "cats/7.jpg", "size": "90x3000"}]}
  ///
  /// Sizes are HxW, compared by number of pixels. `enlarged` images are smaller than `target` in height or width. An
  /// outlier's pixel count or aspect ratio is beyond Tukey's outer fences (three interquartile ranges, in logarithms;
  /// Exploratory Data Analysis, 1977, 2D) and beyond twice the quartile. Null if no size was set.
  nlohmann::ordered_json describe(const std::string& split, const SampleShape& target,
                                  const std::function<std::string(std::size_t)>& name_of) const;

 private:
  struct Size {
    std::int32_t height = 0, width = 0;
  };

  std::vector<Size> sizes_;
};

}  // namespace octavo::sources
