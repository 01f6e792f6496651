// A rectangle of an image: decoders of coded rows decode only what it touches.
#pragma once

#include <cstdint>

#include <octavo/shapes.hpp>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Lines [first, end) of an axis, which may be none.
struct AxisPart {
  std::int32_t first, end;

  OCTAVO_HOST_DEVICE static AxisPart of(std::int64_t first, std::int64_t end) {
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(end)};
  }
  /// The units of `size` lines that these lines touch.
  OCTAVO_HOST_DEVICE AxisPart units(std::int64_t unit_size) const {
    const auto size = static_cast<std::int32_t>(unit_size);
    return first >= end ? AxisPart{0, 0} : AxisPart{first / size, (end - 1) / size + 1};
  }
  /// The lines of these units of `size` lines, of an axis of `count` lines.
  OCTAVO_HOST_DEVICE AxisPart lines(std::int64_t size, std::int64_t count) const {
    return of(first * size, end * size < count ? end * size : count);
  }
  OCTAVO_HOST_DEVICE std::int32_t count() const { return end - first; }
  /// The fewest lines that include both parts.
  OCTAVO_HOST_DEVICE AxisPart united(AxisPart other) const {
    return {first < other.first ? first : other.first, end > other.end ? end : other.end};
  }
};

/// A rectangle of pixels, of all channels.
struct ImagePart {
  AxisPart rows, columns;

  OCTAVO_HOST_DEVICE bool is_empty() const { return rows.first >= rows.end || columns.first >= columns.end; }
  /// Whether they have a pixel in common.
  OCTAVO_HOST_DEVICE bool touches(const ImagePart& other) const {
    return rows.first < other.rows.end && other.rows.first < rows.end && columns.first < other.columns.end &&
           other.columns.first < columns.end;
  }
  /// Makes it the smallest one that has all pixels of both.
  OCTAVO_HOST_DEVICE void unite(const ImagePart& other) {
    if (other.is_empty()) return;
    if (is_empty()) {
      *this = other;
      return;
    }
    rows = rows.united(other.rows);
    columns = columns.united(other.columns);
  }
};

/// Adds plane `base` of an image of three planes of codes to the two others, in these rows, modulo 256.
template <typename Threads>
OCTAVO_HOST_DEVICE inline void add_base_plane(const SampleShape& shape, std::int64_t base, AxisPart rows,
                                              std::int8_t* codes, const Threads& threads) {
  const std::int64_t pixels = shape.values_per_channel();
  const std::int8_t* const from = codes + base * pixels;
  std::int8_t *const first = codes + (base == 0 ? 1 : 0) * pixels, *const second = codes + (base == 2 ? 1 : 2) * pixels;
  for (std::int64_t i = rows.first * shape.width + threads.index(); i < rows.end * shape.width; i += threads.count()) {
    first[i] = static_cast<std::int8_t>(first[i] + from[i]);
    second[i] = static_cast<std::int8_t>(second[i] + from[i]);
  }
}

OCTAVO_HOST_DEVICE inline ImagePart whole_image(const SampleShape& shape) {
  return {AxisPart::of(0, shape.height), AxisPart::of(0, shape.width)};
}

}  // namespace octavo::kernels
