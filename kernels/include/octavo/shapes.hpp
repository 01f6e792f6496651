// The shapes of samples and of batches, which the kernels and the public headers both need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <octavo/types.hpp>

namespace octavo {

/// Shape of one sample, in storage order [C,H,W].
struct SampleShape {
  std::int64_t channels = 0;  ///< C, 1 to 4096
  std::int64_t height = 0;    ///< H
  std::int64_t width = 0;     ///< W

  /// P: number of values in one channel.
  constexpr std::int64_t values_per_channel() const { return height * width; }
  /// C*H*W: number of values, and of packed bytes, in one sample. Below 2^31.
  constexpr std::int64_t values() const { return channels * height * width; }
  bool operator==(const SampleShape&) const = default;
};

/// The images of a batch: their shape, type and layout.
struct BatchShape {
  SampleShape image = {};  ///< C', H', W' of each image
  std::int64_t views = 1;  ///< images per sample
  DType dtype = DType::float32;
  Layout layout = Layout::nchw;

  /// Values per sample of the batch.
  constexpr std::int64_t values() const { return views * image.values(); }
  /// Bytes per sample of the batch.
  constexpr std::int64_t bytes() const { return values() * bytes_of(dtype); }
  /// The axes of a tensor of `image_count` images, outermost first: [image_count,C',H',W'] in the order of the layout.
  std::vector<std::int64_t> image_axes(std::int64_t image_count) const {
    const std::array<std::int64_t, 4> sizes = {image_count, image.channels, image.height, image.width};
    std::vector<std::int64_t> axes;
    for (const int axis : info_of(layout).axes) axes.push_back(sizes[static_cast<std::size_t>(axis)]);
    return axes;
  }
  /// The axes of a tensor of `batch_count` samples: those of their images, or, with several views, [B,views,C',H',W'].
  std::vector<std::int64_t> axes(std::int64_t batch_count) const {
    std::vector<std::int64_t> axes = image_axes(batch_count);
    if (views != 1) axes.insert(axes.begin() + 1, views);
    return axes;
  }
  /// Values of the masks of a sample.
  constexpr std::int64_t mask_values() const { return views * image.values_per_channel(); }
  /// The axes of a tensor of the masks of `batch_count` samples: [B,H',W'], or, with several views, [B,views,H',W'].
  std::vector<std::int64_t> mask_axes(std::int64_t batch_count) const {
    std::vector<std::int64_t> axes = {batch_count, image.height, image.width};
    if (views != 1) axes.insert(axes.begin() + 1, views);
    return axes;
  }
  /// The strides, in values, of the axes [B*views,C',H',W'] of images, whatever the layout.
  std::vector<std::int64_t> nchw_strides() const {
    const std::vector<std::int64_t> sizes = image_axes(1);
    std::vector<std::int64_t> strides(4);
    std::int64_t stride = 1;
    for (std::size_t i = 4; i-- > 0;) {
      strides[static_cast<std::size_t>(info_of(layout).axes[i])] = stride;
      stride *= sizes[i];
    }
    return strides;
  }

  bool operator==(const BatchShape&) const = default;
};

}  // namespace octavo
