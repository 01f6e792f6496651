// Statistics of the original image sizes, with outliers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <octavo/sample.hpp>
#include <octavo/source_notes.hpp>

namespace octavo::sources {

/// Several threads may set the sizes of different images concurrently.
class ImageSizes {
 public:
  explicit ImageSizes(std::size_t image_count) : sizes_(image_count) {}

  void set(std::size_t image, std::int64_t height, std::int64_t width) {
    sizes_[image] = {static_cast<std::int32_t>(height), static_cast<std::int32_t>(width)};
  }

  /// The size of an image, as set: height and width; 0 if it was not.
  std::pair<std::int64_t, std::int64_t> at(std::size_t image) const {
    return {sizes_[image].height, sizes_[image].width};
  }

  /// The statistics over the images whose size was set; nothing if none was. `enlarged` images are smaller than
  /// `target` in height or width. An outlier's pixel count or aspect ratio is beyond Tukey's outer fences (three
  /// interquartile ranges, in logarithms; Exploratory Data Analysis, 1977, 2D) and beyond twice the quartile.
  std::optional<ImageSizeNotes> describe(const std::string& split, const SampleShape& target,
                                         const std::function<std::string(std::size_t)>& name_of) const;

 private:
  struct Size {
    std::int32_t height = 0, width = 0;
  };

  std::vector<Size> sizes_;
};

}  // namespace octavo::sources
