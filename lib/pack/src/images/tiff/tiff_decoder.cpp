#include "images/tiff/tiff_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <octavo/errors.hpp>

#include "images/alpha.hpp"
#include "images/tiff/tiff_file.hpp"
#include "images/tiff/tiff_layout.hpp"

namespace octavo::images {
namespace {

// The bytes that a tile may have beyond those of the image: tiles may be larger than a small image.
constexpr std::int64_t kSpareBytes = std::int64_t{16} << 20;
// A generous upper bound of the memory per pixel and per band anywhere in libtiff.
constexpr std::int64_t kTiffBytesAPixel = 16, kTiffBytesABand = 4;

/// Scales samples of `bits` bits to 0 ... 255, or leaves palette indices unchanged. 16-bit samples are in native byte
/// order, as libtiff delivers them; fewer bits are packed, most significant first.
class SampleReader {
 public:
  SampleReader(int bits, bool are_numbers) : bits_(bits), are_numbers_(are_numbers) {}

  std::uint8_t sample(const std::uint8_t* row, std::int64_t i) const {
    if (bits_ == 8) return row[i];
    if (bits_ == 16) {
      std::uint16_t value;
      std::memcpy(&value, row + 2 * i, sizeof value);
      return narrow_16(value);
    }
    int value = 0;
    for (std::int64_t bit = i * bits_; bit < (i + 1) * bits_; ++bit)
      value = 2 * value + (row[bit / 8] >> (7 - bit % 8) & 1);
    return are_numbers_ ? static_cast<std::uint8_t>(value) : narrow(value, (1 << bits_) - 1);
  }

 private:
  int bits_;
  bool are_numbers_;
};

/// Reads samples as stored.
class DeepSampleReader {
 public:
  explicit DeepSampleReader(const TiffLayout& layout) : layout_(layout) {}

  float sample(const std::uint8_t* row, std::int64_t i) const {
    if (layout_.is_float) return number<float>(row, i);
    if (layout_.is_signed) return number<std::int16_t>(row, i);
    if (layout_.bits == 16) return number<std::uint16_t>(row, i);
    int value = 0;
    for (std::int64_t bit = i * layout_.bits; bit < (i + 1) * layout_.bits; ++bit)
      value = 2 * value + (row[bit / 8] >> (7 - bit % 8) & 1);
    return static_cast<float>(value);
  }

 private:
  template <typename Number>
  static float number(const std::uint8_t* row, std::int64_t i) {
    Number value;
    std::memcpy(&value, row + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    return static_cast<float>(value);
  }

  const TiffLayout& layout_;
};

/// Converts pixels of 8-bit samples to gray or RGB; bands stay as they are.
class PixelWriter {
 public:
  PixelWriter(const TiffLayout& layout, const std::array<std::uint8_t, 3>& background)
      : layout_(layout),
        background_(background),
        colors_(layout.channels()),
        channels_(channels_over(colors_, layout.alpha != TiffAlpha::none, background)) {}

  std::int64_t channels() const { return channels_; }

  /// Whether a pixel was not opaque.
  bool has_transparency() const { return has_transparency_; }

  void write(const std::uint8_t* samples, std::int64_t pixel_count, std::uint8_t* to) {
    if (layout_.color == TiffColor::bands) {
      std::copy_n(samples, pixel_count * channels_, to);
      return;
    }
    for (std::int64_t x = 0; x < pixel_count; ++x, samples += layout_.samples, to += channels_) {
      const auto color = color_of(samples);
      const int alpha = layout_.alpha == TiffAlpha::none ? 255 : samples[layout_.colors];
      has_transparency_ = has_transparency_ || alpha != 255;
      if (layout_.alpha == TiffAlpha::premultiplied) {
        put_premultiplied(color, alpha, to);
      } else {
        put_over(color.data(), colors_, alpha, background_, channels_, to);
      }
    }
  }

 private:
  std::array<std::uint8_t, 3> color_of(const std::uint8_t* samples) const {
    switch (layout_.color) {
      case TiffColor::white_is_zero:
        return {static_cast<std::uint8_t>(255 - samples[0])};
      case TiffColor::black_is_zero:
        return {samples[0]};
      case TiffColor::palette:
        return layout_.palette[samples[0]];
      case TiffColor::inks:
        return {ink_to_light(samples[0], samples[3]), ink_to_light(samples[1], samples[3]),
                ink_to_light(samples[2], samples[3])};
      default:
        return {samples[0], samples[1], samples[2]};
    }
  }

  void put_premultiplied(const std::array<std::uint8_t, 3>& color, int alpha, std::uint8_t* to) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(channels_); ++i) {
      to[i] = over_premultiplied(color[colors_ == 1 ? 0 : i], alpha, background_[i]);
    }
  }

  const TiffLayout& layout_;
  std::array<std::uint8_t, 3> background_;
  std::int64_t colors_;
  std::int64_t channels_;
  bool has_transparency_ = false;
};

/// Writers of satellite images call a fourth band alpha, unless they are told otherwise.
void note_alpha(const TiffLayout& layout, bool has_transparency, Oddities& oddities) {
  if (has_transparency && layout.color == TiffColor::rgb) oddities.add(Oddity::fourth_sample_is_alpha);
}

/// The strips or tiles of a page. A strip is as wide as the page.
class Blocks {
 public:
  Blocks(const TiffFile& tiff, const TiffLayout& layout)
      : tiff_(tiff), layout_(layout), is_tiled_(TIFFIsTiled(tiff.get()) != 0), width_(layout.width) {
    std::uint32_t columns = 0, rows = UINT32_MAX;
    if (is_tiled_) {
      tiff.check(TIFFGetField(tiff.get(), TIFFTAG_TILEWIDTH, &columns) != 0);
      tiff.check(TIFFGetField(tiff.get(), TIFFTAG_TILELENGTH, &rows) != 0);
      width_ = columns;
    } else {
      TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_ROWSPERSTRIP, &rows);
    }
    height_ = is_tiled_ ? rows : std::min<std::int64_t>(rows, layout.height);
    row_bytes_ = (width_ * (layout.in_planes ? 1 : layout.samples) * layout.bits + 7) / 8;
    check_size();
    buffers_.resize(layout.in_planes ? static_cast<std::size_t>(layout.used_samples()) : 1);
    for (auto& buffer : buffers_) buffer.resize(static_cast<std::size_t>(row_bytes_ * height_));
  }

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }

  /// Decodes the block whose first pixel is (x, y).
  void read(std::int64_t x, std::int64_t y) {
    for (std::size_t plane = 0; plane < buffers_.size(); ++plane) {
      const auto sample = static_cast<std::uint16_t>(plane);
      const auto column = static_cast<std::uint32_t>(x), row = static_cast<std::uint32_t>(y);
      const std::int64_t rows = is_tiled_ ? height_ : std::min(height_, layout_.height - y);
      const tmsize_t wanted = rows * row_bytes_;
      const tmsize_t got = is_tiled_
                               ? TIFFReadEncodedTile(tiff_.get(), TIFFComputeTile(tiff_.get(), column, row, 0, sample),
                                                     buffers_[plane].data(), wanted)
                               : TIFFReadEncodedStrip(tiff_.get(), TIFFComputeStrip(tiff_.get(), row, sample),
                                                      buffers_[plane].data(), wanted);
      tiff_.check(got == wanted);
    }
  }

  /// The first `count` pixels of a row of the block, as interleaved samples.
  template <typename Reader, typename Sample>
  void unpack(std::int64_t row, std::int64_t count, const Reader& reader, Sample* samples) const {
    const std::int64_t at = row * row_bytes_;
    if (!layout_.in_planes) {
      for (std::int64_t i = 0; i < count * layout_.samples; ++i) samples[i] = reader.sample(buffers_[0].data() + at, i);
      return;
    }
    for (std::size_t plane = 0; plane < buffers_.size(); ++plane) {
      Sample* to = samples + plane;
      for (std::int64_t i = 0; i < count; ++i, to += layout_.samples)
        *to = reader.sample(buffers_[plane].data() + at, i);
    }
  }

 private:
  void check_size() const {
    if (width_ == 0 || height_ == 0) throw FormatError("its TIFF strips or tiles are empty");
    const std::int64_t image_bytes = layout_.width * layout_.height * layout_.samples * (layout_.is_float ? 4 : 2);
    const std::int64_t planes = layout_.in_planes ? layout_.used_samples() : 1;
    if (width_ > INT32_MAX || height_ > INT32_MAX || row_bytes_ > (image_bytes + kSpareBytes) / height_ / planes) {
      throw FormatError("its TIFF tiles are far larger than the image");
    }
    // libtiff must agree on the size of a row, because it writes into our buffers.
    const std::uint64_t row_bytes = is_tiled_ ? TIFFTileRowSize64(tiff_.get()) : TIFFScanlineSize64(tiff_.get());
    if (row_bytes != static_cast<std::uint64_t>(row_bytes_)) throw FormatError("its TIFF tags contradict each other");
  }

  const TiffFile& tiff_;
  const TiffLayout& layout_;
  bool is_tiled_;
  std::int64_t width_;
  std::int64_t height_ = 0;
  std::int64_t row_bytes_ = 0;
  std::vector<std::vector<std::uint8_t>> buffers_;
};

/// Calls take(samples, columns, x, y) for each row of each block, with its samples as `reader` reads them.
template <typename Sample, typename Reader, typename Take>
void for_each_row(const TiffFile& tiff, const TiffLayout& layout, const Reader& reader, const Take& take) {
  Blocks blocks(tiff, layout);
  std::vector<Sample> samples(static_cast<std::size_t>(layout.width * layout.samples));
  for (std::int64_t y = 0; y < layout.height; y += blocks.height()) {
    for (std::int64_t x = 0; x < layout.width; x += blocks.width()) {
      blocks.read(x, y);
      const std::int64_t columns = std::min(blocks.width(), layout.width - x);
      for (std::int64_t row = 0; row < std::min(blocks.height(), layout.height - y); ++row) {
        blocks.unpack(row, columns, reader, samples.data());
        take(samples.data(), columns, x, y + row);
      }
    }
  }
}

Pixels decode_blocks(const TiffFile& tiff, const TiffLayout& layout, const std::array<std::uint8_t, 3>& background) {
  const SampleReader reader(layout.bits, layout.color == TiffColor::palette);
  PixelWriter writer(layout, background);
  Pixels image(layout.width, layout.height, writer.channels());
  for_each_row<std::uint8_t>(tiff, layout, reader,
                             [&](const std::uint8_t* samples, std::int64_t columns, std::int64_t x, std::int64_t y) {
                               writer.write(samples, columns, image.row(y) + x * image.channels);
                             });
  note_alpha(layout, writer.has_transparency(), image.oddities);
  return image;
}

DeepPixels decode_deep_blocks(const TiffFile& tiff, const TiffLayout& layout) {
  const bool has_alpha = layout.alpha != TiffAlpha::none;
  const auto white = static_cast<float>((1 << std::min(layout.bits, 16)) - 1);
  DeepPixels image(layout.width, layout.height, layout.colors, has_alpha);
  for_each_row<float>(
      tiff, layout, DeepSampleReader(layout),
      [&](const float* samples, std::int64_t columns, std::int64_t x, std::int64_t y) {
        auto at = static_cast<std::size_t>(y * layout.width + x);
        for (std::int64_t i = 0; i < columns; ++i, ++at, samples += layout.samples) {
          const float alpha = has_alpha ? std::clamp(samples[layout.colors], 0.0f, white) : white;
          const bool is_premultiplied = layout.alpha == TiffAlpha::premultiplied && alpha > 0.0f;
          for (int color = 0; color < layout.colors; ++color) {
            float value = samples[color];
            if (layout.color == TiffColor::white_is_zero) value = white - value;
            if (is_premultiplied) value = std::min(value * white / alpha, white);
            image.values[at * static_cast<std::size_t>(layout.colors) + static_cast<std::size_t>(color)] = value;
          }
          if (has_alpha) image.alpha[at] = narrow(static_cast<int>(alpha), static_cast<int>(white));
        }
      });
  note_alpha(layout, std::ranges::any_of(image.alpha, [](auto alpha) { return alpha != 255; }), image.oddities);
  return image;
}

/// Decodes YCbCr outside JPEG. libtiff converts its subsampled blocks.
Pixels decode_ycbcr(const TiffFile& tiff, const TiffLayout& layout) {
  Pixels image(layout.width, layout.height, 3);
  std::vector<std::uint32_t> raster(static_cast<std::size_t>(layout.width * layout.height));
  const int orientation = tiff.value(TIFFTAG_ORIENTATION);  // keep the stored orientation; it is applied later
  tiff.check(TIFFReadRGBAImageOriented(tiff.get(), static_cast<std::uint32_t>(layout.width),
                                       static_cast<std::uint32_t>(layout.height), raster.data(), orientation, 1) != 0);
  std::uint8_t* to = image.values.data();
  for (const std::uint32_t pixel : raster) {
    *to++ = static_cast<std::uint8_t>(TIFFGetR(pixel));
    *to++ = static_cast<std::uint8_t>(TIFFGetG(pixel));
    *to++ = static_cast<std::uint8_t>(TIFFGetB(pixel));
  }
  return image;
}

/// The bound of each of libtiff's allocations.
std::int64_t most_bytes(std::span<const std::byte> file, const ImageHeader& header) {
  const std::int64_t pixel_bytes = std::max(kTiffBytesAPixel, kTiffBytesABand * header.channels);
  return header.width * header.height * pixel_bytes + static_cast<std::int64_t>(file.size()) + kSpareBytes;
}

}  // namespace

Pixels decode_tiff(std::span<const std::byte> file, const ImageHeader& header, const DecodeOptions& options) {
  TiffFile tiff(file, most_bytes(file, header));
  const TiffLayout layout = read_tiff_layout(tiff, header);
  if (layout.is_signed || layout.is_float) throw FormatError("it has signed or floating-point values");
  tiff.expect_pixels();
  Pixels image =
      layout.color == TiffColor::ycbcr ? decode_ycbcr(tiff, layout) : decode_blocks(tiff, layout, options.background);
  image.oddities.add(layout.oddities);
  return image;
}

DeepPixels decode_deep_tiff(std::span<const std::byte> file, const ImageHeader& header) {
  TiffFile tiff(file, most_bytes(file, header));
  const TiffLayout layout = read_tiff_layout(tiff, header);
  if (layout.color == TiffColor::inks || layout.color == TiffColor::ycbcr) {
    throw FormatError("it is in a color model other than gray, RGB and palette");
  }
  if ((layout.is_signed || layout.is_float) &&
      (layout.alpha != TiffAlpha::none || layout.color == TiffColor::white_is_zero)) {
    throw FormatError("it has signed or floating-point values with transparency, or with white as 0");
  }
  tiff.expect_pixels();
  DeepPixels image = decode_deep_blocks(tiff, layout);
  image.oddities.add(layout.oddities);
  return image;
}

}  // namespace octavo::images
