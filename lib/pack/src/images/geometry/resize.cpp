#include "images/geometry/resize.hpp"

#include <algorithm>
#include <vector>

#include "images/geometry/resample_filter.hpp"
#include "kernels/cpu/image/resample.hpp"

namespace octavo::images {
namespace {

using kernels::cpu::kTileRows;

const std::uint8_t* value_at(const Pixels& image, std::int64_t y, std::int64_t x) {
  return image.values.data() + y * image.row_bytes() + x * image.channels;
}

void copy(const Pixels& image, const Box& from, const Planes& out) {
  for (std::int64_t channel = 0; channel < image.channels; ++channel) {
    for (std::int64_t y = 0; y < from.height; ++y) {
      const std::uint8_t* value = value_at(image, from.y + y, from.x) + channel;
      std::uint8_t* const row = out.values + channel * out.plane_stride + y * out.row_stride;
      for (std::int64_t x = 0; x < from.width; ++x, value += image.channels) row[x] = *value;
    }
  }
}

/// The whole pixels that cover an interval along one axis, and the interval's begin and length relative to them.
struct Cut {
  std::int64_t first, count;
  double begin, length;
};

Cut cut(std::int64_t start, std::int64_t length, std::int64_t reduction) {
  const std::int64_t first = start / reduction;
  const std::int64_t count = (start + length + reduction - 1) / reduction - first;
  return {first, count, static_cast<double>(start - first * reduction) / static_cast<double>(reduction),
          static_cast<double>(length) / static_cast<double>(reduction)};
}

}  // namespace

void resize(const Pixels& image, int reduction, const Box& from, std::int64_t width, std::int64_t height,
            const Planes& out) {
  if (reduction == 1 && from.width == width && from.height == height) return copy(image, from, out);
  const Cut columns = cut(from.x, from.width, reduction), rows = cut(from.y, from.height, reduction);
  const ResampleFilter across(columns.begin, columns.length, columns.count, width);
  const ResampleFilter down(rows.begin, rows.length, rows.count, height);

  // Resize vertically first, along whole rows in memory. Then transpose a few of these rows at a time and resize them
  // horizontally.
  const std::int64_t value_count = columns.count * image.channels;
  const std::uint8_t* const first_value = value_at(image, rows.first, columns.first);
  std::vector<std::uint16_t> blended(static_cast<std::size_t>(kTileRows * value_count)), tile(blended.size());
  for (std::int64_t top = 0; top < height; top += kTileRows) {
    const std::int64_t count = std::min(kTileRows, height - top);
    for (std::int64_t y = 0; y < count; ++y) {
      kernels::cpu::blend_rows(down.axis(), top + y, first_value, image.row_bytes(), value_count,
                               blended.data() + y * value_count);
    }
    kernels::cpu::transpose_tile(blended.data(), value_count, tile.data());
    kernels::cpu::blend_columns(across.axis(), tile.data(), image.channels, count, out.row_stride, out.plane_stride,
                                out.values + top * out.row_stride);
  }
}

}  // namespace octavo::images
