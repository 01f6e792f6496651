// How the pixels of a TIFF page are stored, as far as it can be read.
#pragma once

#include <cstdint>

#include "images/image_header.hpp"
#include "images/palette.hpp"
#include "images/tiff_file.hpp"

namespace octavo::images {

enum class TiffColor { white_is_zero, black_is_zero, rgb, palette, inks, ycbcr };
enum class TiffAlpha { none, straight, premultiplied };

/// What a page's tags say, checked.
struct TiffLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int bits = 0;     ///< a sample, 1 to 16
  int samples = 0;  ///< a pixel, alpha and unknown ones included
  int colors = 0;   ///< the first samples, which make the color: 1, 3 or 4
  TiffColor color = TiffColor::black_is_zero;
  TiffAlpha alpha = TiffAlpha::none;  ///< of the sample after those
  bool in_planes = false;             ///< each sample in blocks of its own
  Palette palette;

  int used_samples() const { return colors + (alpha == TiffAlpha::none ? 0 : 1); }
  bool is_gray() const { return color == TiffColor::white_is_zero || color == TiffColor::black_is_zero; }
};

/// Reads the tags of the page that `tiff` stands at, and has JPEG data turned into RGB. Throws FormatError with the
/// reason only: what cannot be read, another size or color than `header` says.
TiffLayout read_tiff_layout(TiffFile& tiff, const ImageHeader& header);

}  // namespace octavo::images
