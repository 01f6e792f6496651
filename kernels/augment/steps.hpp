// The steps of one image: what the operations of an augmentation do to it.
#pragma once

#include <cstdint>

#include "kernels/augment/program.hpp"
#include "kernels/augment/warp.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

enum class StepKind : std::int32_t {
  none,
  flip_x,
  flip_y,
  crop,
  resample,
  erase,
  jitter,
  // The following make whole images.
  brightness,
  contrast,
  saturation,
  hue,
  permute,
  solarize,
  solarize_add,
  posterize,
  invert,
  gamma,
  autocontrast,
  equalize,
  sharpness,
  blur,
  warp,
};
OCTAVO_HOST_DEVICE inline bool makes_image(StepKind kind) { return kind >= StepKind::brightness; }

/// The most pixels that a blur takes at each side.
inline constexpr std::int32_t kMostBlurRadius = 31;
/// The most channels that can change places.
inline constexpr int kMostPermuted = 4;

/// A step that moves rows and columns, fills a rectangle, or changes normalized values.
struct MovingStep {
  StepKind kind;
  std::int32_t y, x;           ///< the first pixel: crop: of the output, in the input; resample, erase: of the part
  std::int32_t height, width;  ///< resample: of the part that is resized; erase: of the rectangle
  float shift, factor;         ///< jitter: v becomes (v + shift) * factor
};

/// What an operation does to one image.
struct AugmentStep : MovingStep {
  /// brightness, contrast, saturation, sharpness: fixed_factor(); hue: fixed_hue(); solarize: the first level that is
  /// inverted; solarize_add: what is added to levels below 128; posterize: the bits that are kept
  std::int32_t amount;
  union {
    double power;                               ///< gamma
    std::int32_t source[kMostPermuted];         ///< permute: the channel that each channel shows
    Warp warp;                                  ///< warp
    std::int16_t weights[kMostBlurRadius + 1];  ///< blur: of a pixel at each distance, in multiples of 2^-kWeightBits
  };
};

/// The pixel of an axis of `count` pixels that is shown at `at`, which is less than count - 1 pixels beyond either end
/// for `reflect`; -1: the fill value.
OCTAVO_HOST_DEVICE inline std::int32_t inside(Border border, std::int32_t at, std::int32_t count) {
  if (at >= 0 && at < count) return at;
  if (border == Border::constant) return -1;
  if (border == Border::edge) return at < 0 ? 0 : count - 1;
  return at < 0 ? -at : 2 * (count - 1) - at;
}

}  // namespace octavo::kernels
