// Adding a plane of codes to another, for each instruction set.
#if defined(OCTAVO_KERNELS_CPU_ADD_PLANE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OCTAVO_KERNELS_CPU_ADD_PLANE_INL_HPP
#undef OCTAVO_KERNELS_CPU_ADD_PLANE_INL_HPP
#else
#define OCTAVO_KERNELS_CPU_ADD_PLANE_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/image_part.hpp"

HWY_BEFORE_NAMESPACE();
namespace octavo::kernels::cpu {
namespace HWY_NAMESPACE {

/// Adds `count` bytes at `from` to those at `to`, modulo 256 each.
inline void add_plane(const std::int8_t* from, std::int64_t count, std::int8_t* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::int8_t> bytes;
  const auto step = static_cast<std::int64_t>(hn::Lanes(bytes));
  std::int64_t i = 0;
  for (; i + step <= count; i += step) {
    hn::StoreU(hn::Add(hn::LoadU(bytes, to + i), hn::LoadU(bytes, from + i)), bytes, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<std::int8_t>(to[i] + from[i]);
}

/// Adds plane `base` of an image of three planes to the others, in these rows and columns.
inline void add_base_plane(const SampleShape& shape, std::int64_t base, AxisPart rows, AxisPart columns,
                           std::int8_t* codes) {
  const std::int64_t pixels = shape.values_per_channel();
  const bool are_whole = columns.count() == shape.width;
  const std::int64_t runs = are_whole ? 1 : std::int64_t{rows.count()};
  const std::int64_t run = are_whole ? rows.count() * shape.width : std::int64_t{columns.count()};
  for (std::int64_t plane = 0; plane < 3; ++plane) {
    if (plane == base) continue;
    for (std::int64_t i = 0; i < runs; ++i) {
      std::int8_t* const first = codes + (rows.first + i) * shape.width + columns.first;
      add_plane(first + base * pixels, run, first + plane * pixels);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace octavo::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif
