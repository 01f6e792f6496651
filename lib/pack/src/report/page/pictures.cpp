#include "report/page/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <octavo/resize.hpp>

#include "format/statistics/codes.hpp"
#include "images/mask_reader.hpp"
#include "png/png_writer.hpp"
#include "report/page/html.hpp"
#include "support/text/text_units.hpp"
#include "view/mask_overlay.hpp"
#include "view/sheet.hpp"

namespace octavo::report::page {
namespace {

// The longer side of a sample on the page, in CSS pixels.
constexpr std::int64_t kShownSide = 56;

/// The shape of a sample as it is drawn: gray or RGB, and at most kShownSide high and wide.
SampleShape drawn_shape(const SampleShape& shape) {
  SampleShape drawn = {shape.channels == 3 ? 3 : 1, shape.height, shape.width};
  const std::int64_t longer = std::max(shape.height, shape.width);
  if (longer <= kShownSide) return drawn;
  const auto scaled = [&](std::int64_t side) { return std::max<std::int64_t>(1, side * kShownSide / longer); };
  drawn.height = scaled(shape.height);
  drawn.width = scaled(shape.width);
  return drawn;
}

/// The longest side that resize_image() accepts.
constexpr std::int64_t kLongestSide = 65535;

/// An image, [C,H,W].
struct Pixels {
  SampleShape shape;
  std::vector<std::uint8_t> values;
};

/// Every n-th row and column, so that no side is longer than kLongestSide.
Pixels thinned_out(std::span<const std::uint8_t> values, const SampleShape& shape) {
  const auto step_of = [](std::int64_t side) { return (side + kLongestSide - 1) / kLongestSide; };
  const std::int64_t row_step = step_of(shape.height), column_step = step_of(shape.width);
  Pixels kept;
  kept.shape = {shape.channels, (shape.height + row_step - 1) / row_step,
                (shape.width + column_step - 1) / column_step};
  kept.values.reserve(static_cast<std::size_t>(kept.shape.values()));
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    for (std::int64_t y = 0; y < shape.height; y += row_step) {
      for (std::int64_t x = 0; x < shape.width; x += column_step) {
        kept.values.push_back(values[static_cast<std::size_t>((c * shape.height + y) * shape.width + x)]);
      }
    }
  }
  return kept;
}

/// `values` are [C,H,W].
std::vector<std::uint8_t> made_smaller(std::span<const std::uint8_t> values, const SampleShape& shape,
                                       const SampleShape& drawn) {
  const SampleShape visible = {drawn.channels, shape.height, shape.width};
  const auto planes = values.first(static_cast<std::size_t>(visible.values()));
  if (std::max(shape.height, shape.width) > kLongestSide) {
    const Pixels kept = thinned_out(planes, visible);
    return made_smaller(kept.values, kept.shape, drawn);
  }
  if (drawn.height == shape.height && drawn.width == shape.width) return {planes.begin(), planes.end()};
  std::vector<std::uint8_t> smaller(static_cast<std::size_t>(drawn.values()));
  resize_image(planes, visible, {drawn.height, drawn.width}, Fit::stretch, {}, smaller);
  return smaller;
}

std::string image(const view::Sheet& sheet, const SampleShape& drawn, const std::string& description) {
  const auto png = png::encode({sheet.width(), sheet.height(), sheet.channels(), sheet.values()});
  const double scale = static_cast<double>(kShownSide) / static_cast<double>(std::max(drawn.height, drawn.width));
  const auto side = [&](std::int64_t pixels) { return std::lround(static_cast<double>(pixels) * scale); };
  return formatted("<img width=\"%ld\" height=\"%ld\" alt=\"", side(sheet.width()), side(sheet.height())) +
         description + "\" src=\"" + data_uri(png) + "\">";
}

/// The mask of a sample, [H,W] of `shape`, as large as `drawn`.
std::vector<std::uint8_t> mask_made_smaller(std::span<const std::uint8_t> mask, const SampleShape& shape,
                                            const SampleShape& drawn) {
  std::vector<std::uint8_t> smaller(static_cast<std::size_t>(drawn.values_per_channel()));
  const images::Target target = {.shape = {1, drawn.height, drawn.width}, .may_resize = true, .fit = Fit::stretch};
  images::fill_mask(mask, shape.height, shape.width, target, smaller);
  return smaller;
}

/// Samples next to each other; their masks over them if `with_masks`, which requires masks.
std::string picture(const Split& split, std::span<const std::int64_t> rows, bool with_masks,
                    const std::string& description) {
  const SampleShape shape = split.shape(), drawn = drawn_shape(shape);
  const SampleShape cell_shape = {with_masks ? 3 : drawn.channels, drawn.height, drawn.width};
  view::Sheet sheet({.sample = cell_shape, .count = std::ssize(rows), .columns = std::ssize(rows), .scale = 1});
  std::vector<std::uint8_t> values(static_cast<std::size_t>(shape.values()));
  std::vector<std::uint8_t> mask(with_masks ? static_cast<std::size_t>(shape.values_per_channel()) : 0);
  std::vector<std::byte> label(static_cast<std::size_t>(split.labels().bytes_per_sample()));
  for (std::size_t cell = 0; cell < rows.size(); ++cell) {
    split.read_checked(rows[cell], 1, {reinterpret_cast<std::int8_t*>(values.data()), values.size()}, label, mask);
    statistics::flip_top_bits(values);
    std::vector<std::uint8_t> smaller = made_smaller(values, shape, drawn);
    if (with_masks) smaller = view::overlaid(smaller, drawn, mask_made_smaller(mask, shape, drawn));
    sheet.draw(static_cast<std::int64_t>(cell), smaller);
  }
  return image(sheet, drawn, description);
}

}  // namespace

std::string picture_of_samples(const Split& split, std::span<const std::int64_t> rows, const std::string& description) {
  return picture(split, rows, false, description);
}

std::string picture_with_masks(const Split& split, std::span<const std::int64_t> rows, const std::string& description) {
  return picture(split, rows, split.has_masks(), description);
}

std::string picture_of_mask_class(int value) {
  constexpr std::int64_t kSide = 12;
  std::vector<std::uint8_t> pixels(3 * kSide * kSide, 128);
  view::draw_sign(value, kSide, [&](std::int64_t x, std::int64_t y, const MaskColor& color) {
    std::ranges::copy(color, pixels.begin() + 3 * (y * kSide + x));
  });
  const auto png = png::encode({kSide, kSide, 3, pixels});
  return formatted("<img width=\"%ld\" height=\"%ld\" alt=\"\" src=\"", static_cast<long>(kSide),
                   static_cast<long>(kSide)) +
         data_uri(png) + "\">";
}

std::string picture_of_mean(const Split& split) {
  const SampleShape shape = split.shape(), drawn = drawn_shape(shape);
  const Statistics statistics = split.statistics();
  std::vector<std::uint8_t> values(statistics.mean_image.size());
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ChannelQuantization& map = statistics.quantization[i / plane];
    const double value = (static_cast<double>(statistics.mean_image[i]) - map.zero_point) / map.scale;
    values[i] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
  }
  view::Sheet sheet({.sample = drawn, .count = 1, .columns = 1, .scale = 1});
  sheet.draw(0, made_smaller(values, shape, drawn));
  return image(sheet, drawn, "mean image of split " + escaped(split.name()));
}

}  // namespace octavo::report::page
