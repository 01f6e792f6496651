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

}  // namespace

Pixels resized(const Pixels& image, const Box& from, std::int64_t width, std::int64_t height) {
  if (from.width == width && from.height == height) return copied(image, from);
  Pixels made(width, height, image.channels);
  const int done = stbir_resize_uint8_generic(
      first_value(image, from), static_cast<int>(from.width), static_cast<int>(from.height),
      static_cast<int>(image.row_bytes()), made.values.data(), static_cast<int>(width), static_cast<int>(height),
      static_cast<int>(made.row_bytes()), static_cast<int>(image.channels), STBIR_ALPHA_CHANNEL_NONE, 0,
      STBIR_EDGE_CLAMP, STBIR_FILTER_TRIANGLE, STBIR_COLORSPACE_LINEAR, nullptr);
  if (done == 0) throw std::bad_alloc();
  return made;
}

}  // namespace octavo::image
