// How the pixels of a TIFF page are stored.
#pragma once

#include <cstdint>

#include "images/image_header.hpp"
#include "images/palette.hpp"
#include "images/tiff/tiff_file.hpp"
#include "images/tiff/tiff_samples.hpp"

namespace octavo::images {

enum class TiffColor { white_is_zero, black_is_zero, rgb, palette, inks, ycbcr, bands };

/// The checked content of a page's tags.
struct TiffLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int bits = 0;  ///< per sample: 1 to 16; 16 if `is_signed`, 32 if `is_float`
  bool is_signed = false;
  bool is_float = false;
  int samples = 0;  ///< per pixel, including alpha and unknown ones
  int colors = 0;   ///< number of leading samples that define the color: 1, 3 or 4; all if they are bands
  TiffColor color = TiffColor::black_is_zero;
  TiffAlpha alpha = TiffAlpha::none;  ///< of the sample after those
  bool in_planes = false;             ///< each sample is in separate blocks
  Palette palette;
  Oddities oddities;

  int used_samples() const { return colors + (alpha == TiffAlpha::none ? 0 : 1); }
  /// Channels of the image: gray, RGB or bands.
  int channels() const { return is_gray() ? 1 : color == TiffColor::bands ? colors : 3; }
  bool is_gray() const { return color == TiffColor::white_is_zero || color == TiffColor::black_is_zero; }
};

/// Reads the tags of the current page of `tiff`, and makes libtiff convert JPEG data to RGB. Throws FormatError with
/// the reason only: an unsupported form, a size or color that differs from `header`.
TiffLayout read_tiff_layout(TiffFile& tiff, const ImageHeader& header);

}  // namespace octavo::images
