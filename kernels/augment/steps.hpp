// The kinds of operations of an augmentation, and the steps of one image: what the operations do to it.
#pragma once

#include <cstdint>

#include "kernels/augment/warp.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// Part of the numbers that are drawn, so existing values never change.
enum class AugmentKind : std::int32_t {
  flip_x = 0,               ///< mirrors left and right
  flip_y = 1,               ///< mirrors top and bottom
  alternating_flip_x = 2,   ///< mirrors a random half of the samples in even epochs, and the other half in odd epochs
  random_crop = 3,          ///< pads, then cuts out a part at a random position
  center_crop = 4,          ///< cuts out the center; pads if the image is smaller
  erase_square = 5,         ///< fills a square
  erase_rectangle = 6,      ///< fills a rectangle of random size and shape
  jitter = 7,               ///< adds to and scales the normalized values
  random_resized_crop = 8,  ///< cuts out a part of random size and shape, and resizes it
  resize = 9,               ///< resizes the image
  affine = 10,              ///< rotates, shifts, scales and shears
  color_jitter = 11,        ///< one of the four changes of a color jitter
  grayscale = 12,           ///< removes the color
  permute_channels = 13,    ///< puts the channels in a random order
  solarize = 14,            ///< inverts values from a threshold on
  posterize = 15,           ///< keeps the upper bits
  invert = 16,              ///< inverts all values
  gamma = 17,               ///< raises values to a power
  autocontrast = 18,        ///< stretches the values of each channel to the whole range
  equalize = 19,            ///< makes the histogram of each channel flat
  sharpness = 20,           ///< sharpens or softens
  blur = 21,                ///< a Gaussian blur
  trivial_augment = 22,     ///< one random operation of a random magnitude
  rand_augment = 23,        ///< one random operation of a given magnitude
  view_flip_x = 25,         ///< mirrors every second view left and right; 24 is mixing
  view_shift = 26,          ///< shifts pairs of views
  timm_rand_augment = 28,   ///< one random operation of a normally distributed magnitude; 27 is sampling
  noise = 29,               ///< adds normally distributed noise to all values
};

OCTAVO_HOST_DEVICE inline bool resizes(AugmentKind kind) {
  return kind == AugmentKind::random_resized_crop || kind == AugmentKind::resize;
}

/// Whether operations of this kind only move rows and columns, fill rectangles, or change normalized values.
OCTAVO_HOST_DEVICE inline bool is_moving(AugmentKind kind) {
  return kind <= AugmentKind::jitter || kind == AugmentKind::view_flip_x || kind == AugmentKind::view_shift;
}
/// Whether an operation needs the whole image, and makes a whole image.
OCTAVO_HOST_DEVICE inline bool makes_image(AugmentKind kind) { return !is_moving(kind) && !resizes(kind); }
/// Whether operations of this kind fill rectangles.
inline bool erases(AugmentKind kind) {
  return kind == AugmentKind::erase_square || kind == AugmentKind::erase_rectangle;
}

/// A turn of the hue, as AugmentStep::amount.
inline constexpr std::int32_t kHueTurn = 6 << 12;

/// What a step does to one image.
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
  noise,
};
OCTAVO_HOST_DEVICE inline bool makes_image(StepKind kind) { return kind >= StepKind::brightness; }

/// What a log of steps calls a kind and its AugmentStep::amount, which counts parts of 1; null: such steps have other
/// values, or none.
struct StepName {
  const char* kind;
  const char* amount = nullptr;
  double parts = 1.0;
};
/// In the order of the kinds.
inline constexpr StepName kStepNames[] = {
    {"none"},
    {"flip_x"},
    {"flip_y"},
    {"crop"},
    {"resize"},
    {"erase"},
    {"jitter"},
    {"brightness", "factor", 4096},
    {"contrast", "factor", 4096},
    {"saturation", "factor", 4096},
    {"hue", "turns", kHueTurn},
    {"permute"},
    {"solarize", "threshold"},
    {"solarize_add", "added"},
    {"posterize", "bits"},
    {"invert"},
    {"gamma"},
    {"autocontrast"},
    {"equalize"},
    {"sharpness", "factor", 4096},
    {"blur"},
    {"warp"},
    {"noise", "factor", 65536},
};
static_assert(sizeof kStepNames == sizeof(StepName) * (static_cast<int>(StepKind::noise) + 1));

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
  /// inverted; solarize_add: what is added to levels below 128; posterize: the bits that are kept;
  /// noise: fixed_noise()
  std::int32_t amount;
  union {
    double power;                               ///< gamma
    std::uint64_t key;                          ///< noise: of the random numbers of all values
    std::int32_t source[kMostPermuted];         ///< permute: the channel that each channel shows
    Warp warp;                                  ///< warp
    std::int16_t weights[kMostBlurRadius + 1];  ///< blur: of a pixel at each distance, in multiples of 2^-kWeightBits
  };
};

}  // namespace octavo::kernels
