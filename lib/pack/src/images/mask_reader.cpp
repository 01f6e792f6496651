#include "images/mask_reader.hpp"

#include <algorithm>
#include <string>

#include <octavo/errors.hpp>

#include "images/geometry/geometry.hpp"
#include "images/geometry/orientation.hpp"
#include "images/image_codec.hpp"
#include "images/png/png_decoder.hpp"

namespace octavo::images {
namespace {

/// The first channel of an image whose channels are equal.
Pixels one_channel(const Pixels& image) {
  if (image.channels == 1) return image;
  Pixels gray(image.width, image.height, 1);
  for (std::size_t i = 0; i < gray.values.size(); ++i) {
    const std::uint8_t* const color = image.values.data() + 3 * i;
    if (color[0] != color[1] || color[0] != color[2]) {
      throw FormatError(
          "it has colors; expected one channel of class numbers, or a palette; give the class of each color with "
          "`mask_colors`");
    }
    gray.values[i] = color[0];
  }
  return gray;
}

/// The color of a pixel of an image with one or three channels.
MaskColor color_at(const Pixels& image, std::size_t pixel) {
  const std::uint8_t* const value = image.values.data() + pixel * static_cast<std::size_t>(image.channels);
  return image.channels == 1 ? MaskColor{value[0], value[0], value[0]} : MaskColor{value[0], value[1], value[2]};
}

}  // namespace

Pixels decode_mask(std::span<const std::byte> file, const ImageHeader& header) {
  if (header.codec == &kPngCodec) {
    return turned_upright(one_channel(decode_png_mask(file, header)), header.orientation);
  }
  if (header.codec == &kJpegCodec || header.codec == &kWebpCodec) {
    throw FormatError("it is a " + std::string(header.codec->name) +
                      " file, whose compression may change class numbers; save masks as PNG, which is lossless");
  }
  if (header.codec != &kTiffCodec && header.codec != &kPnmCodec) {
    throw FormatError("it is a " + std::string(header.codec->name) +
                      " file; masks are read from PNG, TIFF and PNM, which keep class numbers; save masks as PNG, or "
                      "give the class of each color with `mask_colors`");
  }
  if (header.has_bands) {
    throw FormatError("it has " + std::to_string(header.channels) + " bands; a mask has one channel");
  }
  // Raw bytes are not enough: a plain PNM counts one for each number, however large.
  if (header.is_deep() || header.raw_bytes > header.width * header.height * (header.channels == 1 ? 1 : 3)) {
    throw FormatError("it has more than 8 bits, or transparency; a mask has one channel of values 0 to 255");
  }
  const DeepPixels stored = header.codec->decode_deep(file, header);
  Pixels mask(stored.width, stored.height, stored.channels);
  std::ranges::transform(stored.values, mask.values.begin(),
                         [](float value) { return static_cast<std::uint8_t>(value); });
  return turned_upright(one_channel(mask), header.orientation);
}

Pixels decode_mask_colors(std::span<const std::byte> file, const ImageHeader& header, const MaskColors& colors) {
  if (header.codec == &kJpegCodec || header.codec == &kWebpCodec) {
    throw FormatError("it is a " + std::string(header.codec->name) +
                      " file, which may change colors; save masks as PNG, TIFF, GIF, BMP or PNM");
  }
  if (header.has_bands || header.is_deep()) throw FormatError("it is not RGB or gray with 8 bits");
  const Pixels image = header.codec->decode(file, header, {});
  Pixels mask(image.width, image.height, 1);
  MaskColor last = {};
  std::uint8_t number = 0;
  bool has_last = false;
  for (std::size_t i = 0; i < mask.values.size(); ++i) {
    const MaskColor color = color_at(image, i);
    if (!has_last || color != last) {  // neighbors are usually equal
      const auto found = colors.classes.find(color);
      if (found == colors.classes.end()) {
        throw FormatError("it has the color " + to_string(color) +
                          ", which is not in the file of mask colors; add the color and its class to the file");
      }
      number = found->second;
      last = color;
      has_last = true;
    }
    mask.values[i] = number;
  }
  return turned_upright(std::move(mask), header.orientation);
}

void fill_mask(std::span<const std::uint8_t> mask, std::int64_t height, std::int64_t width, const Target& target,
               std::span<std::uint8_t> values) {
  const auto [from, to] = place(width, height, target.shape.width, target.shape.height, target.fit);
  std::ranges::fill(values, kIgnoredMaskValue);
  // The pixel under the center of a pixel of the target.
  const auto nearest = [](std::int64_t at, std::int64_t count, std::int64_t out_count) {
    return (2 * at + 1) * count / (2 * out_count);
  };
  for (std::int64_t y = 0; y < to.height; ++y) {
    const std::uint8_t* const row = mask.data() + (from.y + nearest(y, from.height, to.height)) * width + from.x;
    std::uint8_t* const out = values.data() + (to.y + y) * target.shape.width + to.x;
    for (std::int64_t x = 0; x < to.width; ++x) out[x] = row[nearest(x, from.width, to.width)];
  }
}

}  // namespace octavo::images
