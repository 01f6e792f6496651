// Transform: the third stage of a gather turns a code into a float32 value.
//
// A Transform policy has value(sample, code, channel, out_index). It may depend on the index and the epoch of the
// sample.
#pragma once

#include <cstdint>

#include "kernels/affine.hpp"
#include "kernels/augment/augmented_image.hpp"
#include "kernels/host_device.hpp"
#include "kernels/row_selection.hpp"
#include "kernels/stages/place.hpp"

namespace octavo::kernels {

/// One multiply-add with a map per channel or for all, and with a shift per value if there is a mean image.
class AffineTransform {
 public:
  /// `maps` is [C], or [1] if `is_uniform`. `pixel_shifts` is C*P in output order, and replaces the maps' shift; or
  /// null.
  OCTAVO_HOST_DEVICE AffineTransform(const Affine* maps, bool is_uniform, const float* pixel_shifts)
      : maps_(maps), is_uniform_(is_uniform), pixel_shifts_(pixel_shifts) {}

  /// The map of value `out_index` of an output sample, which is in channel `c`.
  OCTAVO_HOST_DEVICE Affine map(std::int64_t c, std::int64_t out_index) const {
    Affine map = maps_[is_uniform_ ? 0 : c];
    if (pixel_shifts_ != nullptr) map.shift = pixel_shifts_[out_index];
    return map;
  }
  OCTAVO_HOST_DEVICE float value(const SelectedSample&, std::int8_t code, std::int64_t c,
                                 std::int64_t out_index) const {
    return decode(code, map(c, out_index));
  }

 private:
  const Affine* maps_;
  bool is_uniform_;
  const float* pixel_shifts_;
};

/// The map of a channel, as one image has changed it.
class DrawnTransform {
 public:
  /// `maps` is [C], or [1] if `is_uniform`.
  OCTAVO_HOST_DEVICE DrawnTransform(const AugmentProgram& program, const DrawnImage& image, const OutputPixels& pixels,
                                    const Affine* maps, bool is_uniform)
      : program_(program), image_(image), pixels_(pixels), maps_(maps), is_uniform_(is_uniform) {}

  OCTAVO_HOST_DEVICE float value(const SelectedSample&, std::int8_t code, std::int64_t c,
                                 std::int64_t out_index) const {
    const OutputPixel to = pixels_.at(out_index);
    return decode(code, augmented_map(program_, image_, maps_[is_uniform_ ? 0 : c], c, to.y, to.x));
  }

 private:
  const AugmentProgram& program_;
  const DrawnImage& image_;
  OutputPixels pixels_;
  const Affine* maps_;
  bool is_uniform_;
};

}  // namespace octavo::kernels
