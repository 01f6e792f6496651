// Resizing of images in memory, for programs that provide samples.
#include <octavo/errors.hpp>
#include <octavo/resize.hpp>

#include "images/image_reader.hpp"
#include "images/mask_reader.hpp"

namespace octavo {
namespace {

void check_sides(std::int64_t height, std::int64_t width) {
  const auto is_side = [](std::int64_t side) { return side >= 1 && side <= images::kLargestSide; };
  if (is_side(height) && is_side(width)) return;
  throw InvalidArgument("resize an image: invalid size " + std::to_string(height) + "x" + std::to_string(width) +
                        "; expected sides from 1 to " + std::to_string(images::kLargestSide));
}

/// The checked form of the result.
images::Target target_of(const SampleShape& shape, std::array<std::int64_t, 2> size, Fit fit, std::size_t value_count,
                         std::size_t resized_count, std::array<std::uint8_t, 3> background = {0, 0, 0}) {
  if (shape.channels != 1 && shape.channels != 3) {
    throw InvalidArgument("resize an image: unsupported number of channels " + std::to_string(shape.channels) +
                          "; expected 1 or 3");
  }
  check_sides(shape.height, shape.width);
  check_sides(size[0], size[1]);
  const SampleShape resized = {shape.channels, size[0], size[1]};
  if (value_count != static_cast<std::size_t>(shape.values()) ||
      resized_count != static_cast<std::size_t>(resized.values())) {
    throw InvalidArgument("resize an image: the number of values does not match the shape");
  }
  return {resized, true, fit, background};
}

}  // namespace

void resize_image(std::span<const std::uint8_t> values, const SampleShape& shape, std::array<std::int64_t, 2> size,
                  Fit fit, std::array<std::uint8_t, 3> background, std::span<std::uint8_t> resized) {
  const images::Target target = target_of(shape, size, fit, values.size(), resized.size(), background);
  images::fill_sample(images::interleaved(values, shape), target, resized);
}

void resize_mask(std::span<const std::uint8_t> values, const SampleShape& shape, std::array<std::int64_t, 2> size,
                 Fit fit, std::span<std::uint8_t> resized) {
  const images::Target target = target_of({1, shape.height, shape.width}, size, fit, values.size(), resized.size());
  images::fill_mask(values, shape.height, shape.width, target, resized);
}

}  // namespace octavo
