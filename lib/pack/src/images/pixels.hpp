// A decoded image.
#pragma once

#include <cstdint>
#include <vector>

#include "images/oddities.hpp"

namespace octavo::images {

/// Rows of interleaved 8-bit values: [height, width, channels].
struct Pixels {
  Pixels() = default;
  Pixels(std::int64_t image_width, std::int64_t image_height, std::int64_t channel_count)
      : width(image_width),
        height(image_height),
        channels(channel_count),
        values(static_cast<std::size_t>(image_width * image_height * channel_count)) {}

  std::int64_t row_bytes() const { return width * channels; }
  std::uint8_t* row(std::int64_t y) { return values.data() + y * row_bytes(); }

  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;  ///< 1: gray; 3: R, G, B; or bands
  std::vector<std::uint8_t> values;
  Oddities oddities;  ///< of the file, where its decoder finds them
};

/// The values of an image with more than 8 bits, as stored.
struct DeepPixels {
  DeepPixels(std::int64_t image_width, std::int64_t image_height, std::int64_t channel_count, bool has_alpha)
      : width(image_width),
        height(image_height),
        channels(channel_count),
        values(static_cast<std::size_t>(image_width * image_height * channel_count)),
        alpha(has_alpha ? static_cast<std::size_t>(image_width * image_height) : 0) {}

  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;        ///< 1: gray; 3: R, G, B; or bands
  std::vector<float> values;        ///< [height, width, channels]; exact for integers of 16 bits
  std::vector<std::uint8_t> alpha;  ///< [height, width]; empty: opaque
  Oddities oddities;                ///< of the file, where its decoder finds them
};

}  // namespace octavo::images
