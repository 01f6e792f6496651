// Place: the second stage of a gather decides which code becomes which value of the output.
//
// A Placement policy has code(codes, sample, out_index): the PlacedCode of a value of an output image, from the codes
// of the sample that the load stage has found. It may depend on the index and the epoch of the sample.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/augment/augmented_image.hpp"
#include "kernels/host_device.hpp"
#include "kernels/row_selection.hpp"

namespace octavo::kernels {

/// The code of a value.
struct PlacedCode {
  std::int8_t code;
  std::int64_t channel;  ///< c
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
  OCTAVO_HOST_DEVICE IdentityPlacement(Layout layout, std::int64_t channels, std::int64_t pixels)
      : layout_(layout), channels_(static_cast<std::uint32_t>(channels)), pixels_(static_cast<std::uint32_t>(pixels)) {}

  template <typename Codes>
  OCTAVO_HOST_DEVICE PlacedCode code(const Codes& codes, const SelectedSample&, std::int64_t out_index) const {
    // C*P < 2^31, so 32-bit division is enough. It is several times faster on both backends.
    const auto i = static_cast<std::uint32_t>(out_index);
    if (layout_ == Layout::nchw) return {codes[out_index], static_cast<std::int64_t>(i / pixels_)};
    const std::uint32_t p = i / channels_, c = i % channels_;
    return {codes[static_cast<std::int64_t>(c) * pixels_ + p], static_cast<std::int64_t>(c)};
  }

 private:
  Layout layout_;
  std::uint32_t channels_;
  std::uint32_t pixels_;
};

/// The placement that one image has drawn: `steps` of it, for the codes of the image before them.
template <typename Filters = ComputedFilters>
class DrawnPlacement {
 public:
  OCTAVO_HOST_DEVICE DrawnPlacement(const AugmentProgram& program, const DrawnImage& image, StepRange steps,
                                    const OutputPixels& pixels, const Filters& filters)
      : program_(program), image_(image), steps_(steps), pixels_(pixels), filters_(filters) {}

  template <typename Codes>
  OCTAVO_HOST_DEVICE PlacedCode code(const Codes& codes, const SelectedSample&, std::int64_t out_index) const {
    const OutputPixel to = pixels_.at(out_index);
    const ImageSize size = program_.sizes[steps_.first];
    const ChannelCodes<Codes> channel = {codes, to.channel * size.height * size.width, size.width, to.channel};
    return {augmented_code<Filters::kResizes>(program_, image_, steps_, channel, filters_, to.y, to.x), to.channel};
  }

 private:
  const AugmentProgram& program_;
  const DrawnImage& image_;
  StepRange steps_;
  OutputPixels pixels_;
  const Filters& filters_;
};

}  // namespace octavo::kernels
