// What the samples of a TIFF pixel in a gray or RGB color model are.
#pragma once

#include <cstdint>
#include <optional>

namespace octavo::images {

/// TIFF 6.0, section 18 (ExtraSamples). Values are part of the format; Corel Draw writes 999.
inline constexpr std::uint64_t kPremultipliedAlpha = 1, kStraightAlpha = 2, kCorelAlpha = 999;

enum class TiffAlpha { none, straight, premultiplied };

struct TiffSamples {
  TiffAlpha alpha = TiffAlpha::none;
  bool are_bands = false;  ///< there are others than colors and alpha: none of the samples are colors
};

/// The kind of alpha that a value of ExtraSamples declares.
inline TiffAlpha declared_alpha(std::uint64_t extra_sample) {
  if (extra_sample == kPremultipliedAlpha) return TiffAlpha::premultiplied;
  return extra_sample == kStraightAlpha || extra_sample == kCorelAlpha ? TiffAlpha::straight : TiffAlpha::none;
}

/// `sample_count` samples, whose color model has `color_count` (1 or 3). `first_extra` is the first value of
/// ExtraSamples, if the file has any. The only sample after the color is alpha if the file declares it, or if it is the
/// fourth of RGB and the file declares nothing, as in Pillow.
inline TiffSamples samples_of(std::uint64_t color_count, std::uint64_t sample_count,
                              std::optional<std::uint64_t> first_extra) {
  if (sample_count <= color_count) return {};
  if (sample_count == color_count + 1) {
    const TiffAlpha undeclared = color_count == 3 ? TiffAlpha::straight : TiffAlpha::none;
    const TiffAlpha alpha = first_extra ? declared_alpha(*first_extra) : undeclared;
    if (alpha != TiffAlpha::none) return {.alpha = alpha};
  }
  return {.are_bands = true};
}

}  // namespace octavo::images
