#include "images/tiff_layout.hpp"

#include <algorithm>
#include <string>

#include <octavo/errors.hpp>

namespace octavo::images {
namespace {

constexpr int kMostSamples = 16;

// The compressions in practical use. libtiff knows more: old-style JPEG, which it has never read safely, and formats
// specific to single programs.
constexpr std::uint16_t kKnownCompressions[] = {COMPRESSION_NONE,      COMPRESSION_CCITTRLE,      COMPRESSION_CCITTFAX3,
                                                COMPRESSION_CCITTFAX4, COMPRESSION_LZW,           COMPRESSION_JPEG,
                                                COMPRESSION_DEFLATE,   COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZMA,
                                                COMPRESSION_PACKBITS,  COMPRESSION_ZSTD,          COMPRESSION_WEBP};

void check_compression(const TiffFile& tiff) {
  const std::uint16_t compression = tiff.value(TIFFTAG_COMPRESSION);
  const bool is_known = std::ranges::find(kKnownCompressions, compression) != std::end(kKnownCompressions);
  if (!is_known || TIFFIsCODECConfigured(compression) == 0) {
    throw FormatError("it has TIFF compression " + std::to_string(compression) + ", which cannot be read");
  }
}

void check_samples(const TiffFile& tiff, const TiffLayout& layout) {
  const std::uint16_t format = tiff.value(TIFFTAG_SAMPLEFORMAT);
  const bool is_plain = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
  const bool is_known = is_plain ? layout.bits >= 1 && layout.bits <= 16
                                 : (layout.is_signed && layout.bits == 16) || (layout.is_float && layout.bits == 32);
  if (!is_known) {
    const char* const kind = is_plain           ? "unsigned"
                             : layout.is_signed ? "signed"
                             : layout.is_float  ? "float"
                                                : "unknown";
    throw FormatError("it has " + std::to_string(layout.bits) + " bits per sample (" + kind +
                      "); TIFF files with unsigned values of 1 to 16 bits, signed of 16 and float of 32 can be read");
  }
  if (!is_plain && layout.color != TiffColor::rgb && !layout.is_gray()) {
    throw FormatError("it has signed or floating-point values in a color model other than gray and RGB");
  }
  if (layout.samples < layout.colors || layout.samples > kMostSamples) {
    throw FormatError("it has " + std::to_string(layout.samples) +
                      " samples per pixel, which does not fit its color model");
  }
}

TiffColor color_of(const TiffFile& tiff) {
  // A file without a color model is treated as the format's first one, as in Pillow.
  std::uint16_t model = PHOTOMETRIC_MINISWHITE;
  TIFFGetField(tiff.get(), TIFFTAG_PHOTOMETRIC, &model);
  switch (model) {
    case PHOTOMETRIC_MINISWHITE:
      return TiffColor::white_is_zero;
    case PHOTOMETRIC_MINISBLACK:
      return TiffColor::black_is_zero;
    case PHOTOMETRIC_RGB:
      return TiffColor::rgb;
    case PHOTOMETRIC_PALETTE:
      return TiffColor::palette;
    case PHOTOMETRIC_SEPARATED:
      if (tiff.value(TIFFTAG_INKSET) != INKSET_CMYK) throw FormatError("its inks are not cyan, magenta, yellow, black");
      return TiffColor::inks;
    case PHOTOMETRIC_YCBCR:
      return TiffColor::ycbcr;
    default:
      throw FormatError("it has TIFF color model " + std::to_string(model) +
                        "; gray, RGB, palette, CMYK and YCbCr can be read");
  }
}

int color_count(TiffColor color) {
  if (color == TiffColor::rgb || color == TiffColor::ycbcr) return 3;
  return color == TiffColor::inks ? 4 : 1;
}

TiffAlpha alpha_of(const TiffFile& tiff, const TiffLayout& layout) {
  if (layout.samples <= layout.colors) return TiffAlpha::none;
  std::uint16_t count = 0;
  const std::uint16_t* kinds = nullptr;
  if (TIFFGetField(tiff.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0 || count == 0) {
    // An unspecified fourth sample of RGB is alpha, as in Pillow.
    return layout.color == TiffColor::rgb && layout.samples == 4 ? TiffAlpha::straight : TiffAlpha::none;
  }
  if (kinds[0] == EXTRASAMPLE_ASSOCALPHA) return TiffAlpha::premultiplied;
  return kinds[0] == EXTRASAMPLE_UNASSALPHA ? TiffAlpha::straight : TiffAlpha::none;
}

/// Colors are 16-bit. Writers store v * 257 or v * 256; the upper 8 bits are v in both.
Palette read_palette(const TiffFile& tiff, const TiffLayout& layout) {
  if (layout.bits > 8) throw FormatError("it has a palette for more than 8 bits");
  const std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
  tiff.check(TIFFGetField(tiff.get(), TIFFTAG_COLORMAP, &red, &green, &blue) != 0);
  Palette palette(std::size_t{1} << layout.bits);
  for (std::size_t i = 0; i < palette.size(); ++i) {
    palette[i] = {static_cast<std::uint8_t>(red[i] >> 8), static_cast<std::uint8_t>(green[i] >> 8),
                  static_cast<std::uint8_t>(blue[i] >> 8)};
  }
  return palette;
}

void check_agrees(const TiffLayout& layout, const ImageHeader& header) {
  if (layout.width != header.stored_width() || layout.height != header.stored_height() ||
      layout.is_gray() != (header.channels == 1)) {
    throw FormatError("its TIFF tags contradict each other");
  }
}

}  // namespace

TiffLayout read_tiff_layout(TiffFile& tiff, const ImageHeader& header) {
  check_compression(tiff);
  TiffLayout layout;
  std::uint32_t width = 0, height = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  layout.width = width, layout.height = height;
  layout.bits = tiff.value(TIFFTAG_BITSPERSAMPLE);
  layout.samples = tiff.value(TIFFTAG_SAMPLESPERPIXEL);
  layout.is_signed = tiff.value(TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_INT;
  layout.is_float = tiff.value(TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_IEEEFP;
  layout.color = color_of(tiff);
  check_agrees(layout, header);
  layout.in_planes = tiff.value(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && layout.samples > 1;
  if (layout.color == TiffColor::ycbcr && tiff.value(TIFFTAG_COMPRESSION) == COMPRESSION_JPEG && !layout.in_planes) {
    TIFFSetField(tiff.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    layout.color = TiffColor::rgb;
  }
  layout.colors = color_count(layout.color);
  check_samples(tiff, layout);
  layout.alpha = alpha_of(tiff, layout);
  if (layout.color == TiffColor::palette) layout.palette = read_palette(tiff, layout);
  return layout;
}

}  // namespace octavo::images
