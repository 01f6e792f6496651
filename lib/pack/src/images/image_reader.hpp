// Turns the bytes of an image file into a sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <octavo/pack.hpp>
#include <octavo/sample.hpp>

#include "arrays/quantizer.hpp"
#include "images/image_header.hpp"
#include "images/pixels.hpp"

namespace octavo::images {

/// The form that an image is converted to.
struct Target {
  SampleShape shape;        ///< C is 1 or 3, or for images with bands their number
  bool may_resize = false;  ///< otherwise an image of another size is refused
  Fit fit = Fit::crop;
  std::array<std::uint8_t, 3> background = {0, 0, 0};
};

/// Decodes a whole image file, upright, as gray, RGB or bands, at full size. Throws FormatError with the reason only,
/// or Unavailable if this build lacks the format's library.
Pixels decode(std::span<const std::byte> file, const Limits& limits, const std::array<std::uint8_t, 3>& background);

/// The header of a whole image file, checked against `limits`. Throws FormatError with the reason only.
ImageHeader checked_header(std::span<const std::byte> file, const Limits& limits);

/// Decodes a whole image file into `values`, uint8 [C,H,W], converted to `target`. `header` is its checked header, of
/// now or of an earlier read: pixels of another size than the header's are refused. A JPEG is decoded at a half,
/// quarter or eighth of its size if that is still at least twice as large as the target. `quantized` makes bytes of the
/// values of an image that is_deep(), before it is resized; its channels are those of the target. Null: no such image
/// can occur. Returns what is odd about the file. Throws as decode() does; FormatError if the image has bands, and
/// another number than the target has channels.
Oddities read_sample(std::span<const std::byte> file, const ImageHeader& header, const Target& target,
                     arrays::Quantizer::Sample* quantized, std::span<std::uint8_t> values);

/// One sample [C,H,W] as interleaved pixels.
Pixels interleaved(std::span<const std::uint8_t> planes, const SampleShape& shape);

/// Converts the decoded pixels of a whole image to `target` in `values`, uint8 [C,H,W]: first to gray or RGB, then
/// resized, then placed on the background. Around bands, it is the luma of the background.
void fill_sample(Pixels image, const Target& target, std::span<std::uint8_t> values);

}  // namespace octavo::images
