#include "image/resize.hpp"

#include <stb_image_resize.h>

#include <cstring>
#include <new>

namespace octavo::image {
namespace {

const std::uint8_t* first_value(const Pixels& image, const Box& box) {
  return image.values.data() + box.y * image.row_bytes() + box.x * image.channels;
}

Pixels copied(const Pixels& image, const Box& from) {
  Pixels part(from.width, from.height, image.channels);
  for (std::int64_t y = 0; y < from.height; ++y) {
    std::memcpy(part.row(y), first_value(image, from) + y * image.row_bytes(),
                static_cast<std::size_t>(part.row_bytes()));
  }
  return part;
}

/// The whole pixels that cover a stretch along one axis, and where it begins and ends among them, as shares of them.
struct Cut {
  std::int64_t first, count;
  float begin, end;
};

Cut cut(std::int64_t start, std::int64_t length, std::int64_t reduction) {
  const std::int64_t first = start / reduction;
  const std::int64_t count = (start + length + reduction - 1) / reduction - first;
  const auto covered = static_cast<double>(count * reduction);
  const auto begin = static_cast<double>(start - first * reduction);
  return {first, count, static_cast<float>(begin / covered),
          static_cast<float>((begin + static_cast<double>(length)) / covered)};
}

}  // namespace

Pixels resized(const Pixels& image, int reduction, const Box& from, std::int64_t width, std::int64_t height) {
  if (reduction == 1 && from.width == width && from.height == height) return copied(image, from);
  const Cut columns = cut(from.x, from.width, reduction), rows = cut(from.y, from.height, reduction);
  Pixels made(width, height, image.channels);
  const int done = stbir_resize_region(
      first_value(image, {columns.first, rows.first, columns.count, rows.count}), static_cast<int>(columns.count),
      static_cast<int>(rows.count), static_cast<int>(image.row_bytes()), made.values.data(), static_cast<int>(width),
      static_cast<int>(height), static_cast<int>(made.row_bytes()), STBIR_TYPE_UINT8, static_cast<int>(image.channels),
      STBIR_ALPHA_CHANNEL_NONE, 0, STBIR_EDGE_CLAMP, STBIR_EDGE_CLAMP, STBIR_FILTER_TRIANGLE, STBIR_FILTER_TRIANGLE,
      STBIR_COLORSPACE_LINEAR, nullptr, columns.begin, rows.begin, columns.end, rows.end);
  if (done == 0) throw std::bad_alloc();
  return made;
}

}  // namespace octavo::image
