#include "images/tiff/tiff_layout.hpp"

#include <algorithm>
#include <optional>
#include <span>
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
  if (!is_plain && layout.color != TiffColor::rgb && layout.color != TiffColor::bands && !layout.is_gray()) {
    throw FormatError("it has signed or floating-point values in a color model other than gray and RGB");
  }
  if (layout.samples < layout.colors || (layout.color != TiffColor::bands && layout.samples > kMostSamples)) {
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

std::span<const std::uint16_t> extra_samples(const TiffFile& tiff) {
  std::uint16_t count = 0;
  const std::uint16_t* kinds = nullptr;
  if (TIFFGetField(tiff.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0) return {};
  return {kinds, count};
}

/// Sets which samples are colors, alpha or bands.
void set_samples(const TiffFile& tiff, TiffLayout& layout) {
  const auto extra = extra_samples(tiff);
  const auto first_extra = extra.empty() ? std::nullopt : std::optional<std::uint64_t>(extra[0]);
  layout.colors = color_count(layout.color);
  if (layout.color != TiffColor::rgb && !layout.is_gray()) {
    if (layout.samples > layout.colors) layout.alpha = declared_alpha(first_extra.value_or(0));
    if (layout.samples > layout.used_samples()) layout.oddities.add(Oddity::unused_samples);
    return;
  }
  const auto samples =
      samples_of(static_cast<std::uint64_t>(layout.colors), static_cast<std::uint64_t>(layout.samples), first_extra);
  layout.alpha = samples.alpha;
  if (!samples.are_bands) return;
  layout.color = TiffColor::bands;
  layout.colors = layout.samples;
  if (std::ranges::any_of(extra, [](auto kind) { return declared_alpha(kind) != TiffAlpha::none; })) {
    layout.oddities.add(Oddity::alpha_is_band);
  }
}

/// Sets the palette. Colors are 16-bit: writers store v * 257 or v * 256, and the upper 8 bits are v in both. If no
/// color needs more than 8 bits, they are v itself, as libtiff assumes too.
void set_palette(const TiffFile& tiff, TiffLayout& layout) {
  if (layout.bits > 8) throw FormatError("it has a palette for more than 8 bits");
  const std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
  tiff.check(TIFFGetField(tiff.get(), TIFFTAG_COLORMAP, &red, &green, &blue) != 0);
  layout.palette.resize(std::size_t{1} << layout.bits);
  int largest = 0;
  for (std::size_t i = 0; i < layout.palette.size(); ++i) largest = std::max({largest, +red[i], +green[i], +blue[i]});
  const bool is_narrow = largest > 0 && largest < 256;
  if (is_narrow) layout.oddities.add(Oddity::palette_of_8_bits);
  const auto narrowed = [&](int value) { return static_cast<std::uint8_t>(is_narrow ? value : value >> 8); };
  for (std::size_t i = 0; i < layout.palette.size(); ++i) {
    layout.palette[i] = {narrowed(red[i]), narrowed(green[i]), narrowed(blue[i])};
  }
}

void check_agrees(const TiffLayout& layout, const ImageHeader& header) {
  if (layout.width != header.stored_width() || layout.height != header.stored_height() ||
      layout.channels() != header.channels || (layout.color == TiffColor::bands) != header.has_bands) {
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
  set_samples(tiff, layout);
  check_agrees(layout, header);
  layout.in_planes = tiff.value(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && layout.samples > 1;
  if (layout.color == TiffColor::ycbcr && tiff.value(TIFFTAG_COMPRESSION) == COMPRESSION_JPEG && !layout.in_planes) {
    TIFFSetField(tiff.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    layout.color = TiffColor::rgb;
  }
  check_samples(tiff, layout);
  if (layout.color == TiffColor::palette) set_palette(tiff, layout);
  return layout;
}

}  // namespace octavo::images
