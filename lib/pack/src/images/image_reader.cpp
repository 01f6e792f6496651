#include "images/image_reader.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <octavo/errors.hpp>

#include "images/alpha.hpp"
#include "images/color.hpp"
#include "images/geometry/geometry.hpp"
#include "images/geometry/orientation.hpp"
#include "images/geometry/resize.hpp"
#include "images/image_codec.hpp"

namespace octavo::images {
namespace {

// libjpeg can decode to a half, quarter or eighth of the size with smaller transforms of the same blocks.
constexpr int kReductions[] = {8, 4, 2};
// A reduced image must stay this many times as wide and high as the target, so that the filter still averages.
constexpr std::int64_t kSpareFactor = 2;

/// The bytes of an image with more than 8 bits, over the background. If `quantized` has a range for each channel, gray
/// images become RGB.
Pixels narrowed(const DeepPixels& deep, const Target& target, arrays::Quantizer::Sample& quantized) {
  if (!std::ranges::all_of(deep.values, [](float value) { return std::isfinite(value); })) {
    throw FormatError("it contains NaN or infinity");
  }
  const auto stored = static_cast<std::size_t>(deep.channels);
  const std::size_t colors = quantized.is_uniform() ? stored : static_cast<std::size_t>(target.shape.channels);
  const std::int64_t channels =
      channels_over(static_cast<std::int64_t>(colors), !deep.alpha.empty(), target.background);
  Pixels image(deep.width, deep.height, channels);
  std::vector<std::uint8_t> color(colors);
  const float* value = deep.values.data();
  std::uint8_t* to = image.values.data();
  for (std::int64_t i = 0; i < deep.width * deep.height; ++i, value += stored, to += channels) {
    for (std::size_t c = 0; c < colors; ++c) color[c] = quantized.quantize(c, value[std::min(c, stored - 1)]);
    if (deep.alpha.empty()) {
      std::ranges::copy(color, to);
    } else {
      put_over(color.data(), static_cast<std::int64_t>(colors), deep.alpha[static_cast<std::size_t>(i)],
               target.background, channels, to);
    }
  }
  return image;
}

/// How far an image can be reduced while decoding without visible loss.
int reduction_for(const ImageHeader& header, const Placement& placed) {
  if (!header.codec->can_reduce) return 1;
  for (const int reduction : kReductions) {
    if (placed.from.width >= reduction * kSpareFactor * placed.to.width &&
        placed.from.height >= reduction * kSpareFactor * placed.to.height) {
      return reduction;
    }
  }
  return 1;
}

void check_size(const ImageHeader& header, const Target& target) {
  if (target.may_resize || (header.width == target.shape.width && header.height == target.shape.height)) return;
  throw FormatError("it has " + std::to_string(header.width) + "x" + std::to_string(header.height) + " pixels, " +
                    std::to_string(target.shape.width) + "x" + std::to_string(target.shape.height) +
                    " were expected (width x height)");
}

/// Only gray and RGB are converted to one another. The survey of the headers has compared them; this is for files that
/// changed since.
void check_channels(const ImageHeader& header, const Target& target) {
  const std::int64_t channels = target.shape.channels;
  if (header.has_bands ? header.channels == channels : channels == 1 || channels == 3) return;
  throw FormatError("it has " + std::to_string(header.channels) + (header.has_bands ? " bands" : " channels") +
                    ", the samples have " + std::to_string(channels) + " channels");
}

/// The decoders check the size. Gray and RGB are converted to one another.
void check_decoded_channels(const ImageHeader& header, std::int64_t channels) {
  if (header.has_bands ? channels == header.channels : channels == 1 || channels == 3) return;
  refuse_changed();
}

void fill_background(const Target& target, std::span<std::uint8_t> values) {
  const auto background = background_for(target.background, target.shape.channels);
  const auto plane = static_cast<std::size_t>(target.shape.values_per_channel());
  for (std::size_t channel = 0; channel * plane < values.size(); ++channel) {
    std::ranges::fill(values.subspan(channel * plane, plane), background[std::min<std::size_t>(channel, 2)]);
  }
}

/// Copies the plane of a gray image to all channels.
void repeat_first_plane(const Box& to, const SampleShape& shape, const Planes& planes) {
  for (std::int64_t channel = 1; channel < shape.channels; ++channel) {
    for (std::int64_t y = 0; y < to.height; ++y) {
      const std::uint8_t* const row = planes.values + y * planes.row_stride;
      std::copy(row, row + to.width, planes.values + channel * planes.plane_stride + y * planes.row_stride);
    }
  }
}

void fill(Pixels image, int reduction, const Placement& placed, const Target& target, std::span<std::uint8_t> values) {
  const SampleShape& shape = target.shape;
  const Box& to = placed.to;
  if (shape.channels == 1) make_gray(image);
  if (to != Box{0, 0, shape.width, shape.height}) fill_background(target, values);
  const Planes planes = {values.data() + to.y * shape.width + to.x, shape.width, shape.values_per_channel()};
  resize(image, reduction, placed.from, to.width, to.height, planes);
  if (image.channels < shape.channels) repeat_first_plane(to, shape, planes);
}

}  // namespace

ImageHeader checked_header(std::span<const std::byte> file, const Limits& limits) {
  ImageHeader header = *parse_header(file, true);
  header.file_bytes = std::ssize(file);
  check_claim(header, header.file_bytes, limits);
  return header;
}

Pixels decode(std::span<const std::byte> file, const Limits& limits, const std::array<std::uint8_t, 3>& background) {
  const ImageHeader header = checked_header(file, limits);
  return turned_upright(header.codec->decode(file, header, {.background = background}), header.orientation);
}

Oddities read_sample(std::span<const std::byte> file, const ImageHeader& header, const Target& target,
                     arrays::Quantizer::Sample* quantized, std::span<std::uint8_t> values) {
  check_size(header, target);
  check_channels(header, target);
  Oddities oddities = header.oddities;
  if (header.orientation != 1) oddities.add(Oddity::turned_upright);
  if (header.is_deep() && quantized != nullptr) {
    const DeepPixels deep = header.codec->decode_deep(file, header);
    check_decoded_channels(header, deep.channels);
    oddities.add(deep.oddities);
    fill_sample(turned_upright(narrowed(deep, target, *quantized), header.orientation), target, values);
    return oddities;
  }
  const Placement placed = place(header.width, header.height, target.shape.width, target.shape.height, target.fit);
  const int reduction = reduction_for(header, placed);
  Pixels image = header.codec->decode(file, header, {target.background, reduction});
  check_decoded_channels(header, image.channels);
  oddities.add(image.oddities);
  fill(turned_upright(std::move(image), header.orientation), reduction, placed, target, values);
  return oddities;
}

Pixels interleaved(std::span<const std::uint8_t> planes, const SampleShape& shape) {
  Pixels image(shape.width, shape.height, shape.channels);
  const std::int64_t pixels = shape.values_per_channel();
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      image.values[static_cast<std::size_t>(pixel * shape.channels + channel)] =
          planes[static_cast<std::size_t>(channel * pixels + pixel)];
    }
  }
  return image;
}

void fill_sample(Pixels image, const Target& target, std::span<std::uint8_t> values) {
  const Placement placed = place(image.width, image.height, target.shape.width, target.shape.height, target.fit);
  fill(std::move(image), 1, placed, target, values);
}

}  // namespace octavo::images
