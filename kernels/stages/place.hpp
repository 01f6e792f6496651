// Place: the second stage of a gather decides which code becomes which value of the output.
//
// A Placement policy maps a value of an output sample to a code: at(sample, out_index) is the CodePlace. It may depend
// on the index and the epoch of the sample.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/host_device.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// Where a value comes from.
struct CodePlace {
  std::int64_t index;    ///< c*P + p; -1 (only if the policy kFills): `fill` is the code
  std::int64_t channel;  ///< c
  std::int8_t fill = 0;
};

/// A value of an output image.
struct OutputPixel {
  std::int64_t channel;
  std::int32_t y, x;
};

/// Finds channel and pixel of the values of an output image.
class OutputPixels {
 public:
  OCTAVO_HOST_DEVICE OutputPixels(Layout layout, const SampleShape& image)
      : layout_(layout),
        channels_(static_cast<std::uint32_t>(image.channels)),
        pixels_(static_cast<std::uint32_t>(image.values_per_channel())),
        width_(static_cast<std::uint32_t>(image.width)) {}

  OCTAVO_HOST_DEVICE OutputPixel at(std::int64_t out_index) const {
    // C*H*W < 2^31, so 32-bit division is enough. It is several times faster on both backends.
    const auto i = static_cast<std::uint32_t>(out_index);
    const bool is_nchw = layout_ == Layout::nchw;
    const std::uint32_t c = is_nchw ? i / pixels_ : i % channels_, p = is_nchw ? i % pixels_ : i / channels_;
    return {c, static_cast<std::int32_t>(p / width_), static_cast<std::int32_t>(p % width_)};
  }

 private:
  Layout layout_;
  std::uint32_t channels_, pixels_, width_;
};

/// Images keep their size and their pixels; only the layout changes.
class IdentityPlacement {
 public:
  static constexpr bool kFills = false;

  OCTAVO_HOST_DEVICE IdentityPlacement(Layout layout, std::int64_t channels, std::int64_t pixels)
      : layout_(layout), channels_(static_cast<std::uint32_t>(channels)), pixels_(static_cast<std::uint32_t>(pixels)) {}

  OCTAVO_HOST_DEVICE CodePlace at(const SelectedSample&, std::int64_t out_index) const {
    // C*P < 2^31, so 32-bit division is enough. It is several times faster on both backends.
    const auto i = static_cast<std::uint32_t>(out_index);
    if (layout_ == Layout::nchw) return {out_index, static_cast<std::int64_t>(i / pixels_)};
    const std::uint32_t p = i / channels_, c = i % channels_;
    return {static_cast<std::int64_t>(c) * pixels_ + p, static_cast<std::int64_t>(c)};
  }

 private:
  Layout layout_;
  std::uint32_t channels_;
  std::uint32_t pixels_;
};

/// The placement that one image has drawn.
class DrawnPlacement {
 public:
  static constexpr bool kFills = true;

  OCTAVO_HOST_DEVICE DrawnPlacement(const AugmentProgram& program, const DrawnImage& image, const OutputPixels& pixels,
                                    const SampleShape& sample)
      : program_(program), image_(image), pixels_(pixels), sample_(sample) {}

  OCTAVO_HOST_DEVICE CodePlace at(const SelectedSample&, std::int64_t out_index) const {
    const OutputPixel to = pixels_.at(out_index);
    const PixelPlace from = place_of(program_, image_, to.y, to.x);
    if (from.filled_by != nullptr) return {-1, to.channel, from.filled_by->fill.at(to.channel)};
    return {(to.channel * sample_.height + from.y) * sample_.width + from.x, to.channel};
  }

 private:
  const AugmentProgram& program_;
  const DrawnImage& image_;
  OutputPixels pixels_;
  const SampleShape& sample_;
};

}  // namespace octavo::kernels
