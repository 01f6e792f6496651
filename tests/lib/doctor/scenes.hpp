// Images made by formula that differ like photographs, and copies of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
// jpeglib.h needs cstdio before it.
#include <jpeglib.h>

#include <octavo/resize.hpp>
#include <octavo/sample.hpp>
#include <random>
#include <string>
#include <vector>

#include "../images/made_images.hpp"
#include "packed_fixture.hpp"

namespace octavo::test {

using Pixels = std::vector<std::uint8_t>;  ///< [C,H,W]

/// A gradient, eight discs of random gray and a little noise. Gray scenes have equal channels.
inline Pixels scene(unsigned seed, const SampleShape& shape) {
  std::mt19937 random(seed);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 4) / static_cast<double>(1U << 28);
  };
  const double slope_y = draw(-60, 60), slope_x = draw(-60, 60);
  struct Disc {
    double y, x, radius, value;
  };
  std::vector<Disc> discs;
  for (int i = 0; i < 8; ++i) discs.push_back({draw(0, 1), draw(0, 1), draw(0.1, 0.35), draw(20, 235)});
  Pixels plane;
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t x = 0; x < shape.width; ++x) {
      const double v = (static_cast<double>(y) + 0.5) / static_cast<double>(shape.height);
      const double u = (static_cast<double>(x) + 0.5) / static_cast<double>(shape.width);
      double value = 128 + slope_y * (v - 0.5) + slope_x * (u - 0.5);
      for (const Disc& disc : discs) {
        if (std::hypot(v - disc.y, u - disc.x) < disc.radius) value = disc.value;
      }
      plane.push_back(static_cast<std::uint8_t>(std::clamp(value + draw(-4, 4), 0.0, 255.0)));
    }
  }
  Pixels pixels;
  for (std::int64_t c = 0; c < shape.channels; ++c) pixels.insert(pixels.end(), plane.begin(), plane.end());
  return pixels;
}

/// Down to 75 % and back.
inline Pixels resized_copy(const Pixels& pixels, const SampleShape& shape) {
  const SampleShape small = {shape.channels, shape.height * 3 / 4, shape.width * 3 / 4};
  Pixels reduced(static_cast<std::size_t>(small.values())), copy(pixels.size());
  resize_image(pixels, shape, {small.height, small.width}, Fit::stretch, {}, reduced);
  resize_image(reduced, small, {shape.height, shape.width}, Fit::stretch, {}, copy);
  return copy;
}

/// Gray images only.
inline Pixels jpeg_copy(const Pixels& pixels, const SampleShape& shape, int quality) {
  const std::string file = made_jpeg({.width = static_cast<int>(shape.width),
                                      .height = static_cast<int>(shape.height),
                                      .values = pixels,
                                      .quality = quality});
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  Pixels copy(pixels.size());
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = copy.data() + static_cast<std::size_t>(info.output_scanline) * info.output_width;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return copy;
}

/// Mirrored left-right, upside-down or both.
inline Pixels mirrored_copy(const Pixels& pixels, const SampleShape& shape, bool flips_y, bool flips_x) {
  Pixels copy;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      for (std::int64_t x = 0; x < shape.width; ++x) {
        const std::int64_t from_y = flips_y ? shape.height - 1 - y : y, from_x = flips_x ? shape.width - 1 - x : x;
        copy.push_back(pixels[static_cast<std::size_t>((c * shape.height + from_y) * shape.width + from_x)]);
      }
    }
  }
  return copy;
}

/// The split has labels row % 10.
inline void add_sample(PlainSplit& split, const Pixels& pixels) {
  split.labels.push_back(static_cast<std::int32_t>(split.sample_count() % 10));
  split.values.insert(split.values.end(), pixels.begin(), pixels.end());
}

inline PlainSplit split_of_scenes(const std::string& name, std::int64_t N, const SampleShape& shape, unsigned seed) {
  PlainSplit split{name, shape, {}, {}, 1};
  for (std::int64_t i = 0; i < N; ++i) add_sample(split, scene(seed + static_cast<unsigned>(i), shape));
  return split;
}

}  // namespace octavo::test
