// An augmentation as both backends read it: a list of operations. They are the same for all images; random numbers turn
// them into the steps of one image (steps.hpp). The definitions are in docs/numerics.md, "Augmentation".
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/augment/draws.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// The most operations of an augmentation. A color jitter counts as four.
inline constexpr int kMostAugmentOps = 32;
/// The most operations of one kind.
inline constexpr int kMostOfOneKind = 16;
/// The most channels that fill values may differ in.
inline constexpr int kMostFillChannels = 4;

/// What is beyond the edge of an image.
enum class Border : std::int32_t {
  constant,  ///< the fill value
  edge,      ///< the nearest pixel of the image
  reflect,   ///< the image, mirrored at the center of its edge pixel, which is not repeated
};

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
};

/// The changes of a color jitter.
enum class ColorChange : std::int32_t { brightness, contrast, saturation, hue };
inline constexpr int kColorChanges = 4;

/// A number is drawn from [low, high).
struct NumberRange {
  double low, high;

  OCTAVO_HOST_DEVICE double at(std::uint32_t word) const { return number_between(low, high, word); }
};

/// The magnitudes of the operations that TrivialAugment and RandAugment choose from: the largest ones.
struct PolicyMagnitudes {
  double shear;               ///< tangent of the angle
  double translation_pixels;  ///< added to translation_share of the image
  double translation_share;
  double degrees;
  double strength;               ///< of the distance of a factor from 1
  std::int32_t posterized_bits;  ///< that posterize removes
  std::int32_t level;            ///< of kPolicyLevels; -1: drawn
};
/// Magnitudes have this many levels, from none to the largest one.
inline constexpr std::int32_t kPolicyLevels = 31;

/// The magnitudes of timm's RandAugment are normally distributed, and kept between 0 and kMostTimmMagnitude.
struct NormalMagnitude {
  double mean, deviation;
};
inline constexpr double kMostTimmMagnitude = 10.0;

/// A value for each channel. Only the first is used if `is_uniform`.
template <typename Value>
struct FillValues {
  Value of_channel[kMostFillChannels];
  bool is_uniform;

  OCTAVO_HOST_DEVICE Value at(std::int64_t channel) const { return of_channel[is_uniform ? 0 : channel]; }
};

/// One operation. A kind uses the fields that its comment names.
struct AugmentOp {
  AugmentKind kind;
  std::uint32_t slot;                 ///< of its random numbers: below 2^16, different for each operation
  double probability;                 ///< of all kinds but alternating flips, trivial_augment and rand_augment
  std::int32_t height, width;         ///< crops, resize: of the output
  bool antialias, is_cubic;           ///< random_resized_crop, resize: is_cubic: otherwise bilinear
  std::int32_t margin;                ///< random_crop: pixels added at each side; view_shift: pixels
  Border border;                      ///< crops: what is beyond the edge
  FillValues<std::int8_t> fill;       ///< crops, erasures, affine, policies: as codes
  std::int32_t side;                  ///< erase_square
  bool is_inside;                     ///< erase_square: lies in the image; otherwise only its center does
  NumberRange area;                   ///< erase_rectangle, random_resized_crop: as a share of the image
  NumberRange ratio;                  ///< log2 of height / width (erase_rectangle), of width / height (resized crop)
  bool is_normalized;                 ///< erasures: fill the normalized values with `values` instead of the codes
  FillValues<float> values;           ///< erasures, if is_normalized
  NumberRange shift, factor;          ///< jitter
  bool is_bilinear;                   ///< affine, policies: otherwise the nearest pixel
  NumberRange degrees;                ///< affine: clockwise
  double most_down, most_right;       ///< affine: translation up to this share of the height and the width
  NumberRange scale;                  ///< affine
  NumberRange shear_x, shear_y;       ///< affine: degrees
  NumberRange colors[kColorChanges];  ///< color_jitter: three factors, and the hue in turns
  std::int32_t part;                  ///< color_jitter: makes the change at this place of a random order
  std::int32_t level;                 ///< solarize: the threshold; posterize: the bits that are kept
  NumberRange amount;                 ///< gamma: the power; sharpness: the factor; blur: sigma in pixels
  std::int32_t radius;                ///< blur: pixels at each side
  PolicyMagnitudes magnitudes;        ///< trivial_augment, rand_augment
  NormalMagnitude magnitude;          ///< timm_rand_augment
};

/// The size of an image.
struct ImageSize {
  std::int32_t height, width;
};

/// The operations in the order in which they are applied. Those that change normalized values come last.
struct AugmentProgram {
  std::uint64_t seed;
  std::int32_t op_count;
  AugmentOp ops[kMostAugmentOps];
  ImageSize sizes[kMostAugmentOps + 1];  ///< of images before each operation, and after the last one
  std::int64_t most_pixels;              ///< H*W of the largest image between two operations, and of the output
  std::int32_t most_width;               ///< W of the widest one
  std::int32_t most_resampled_side, most_resampled_output;  ///< pixels of the longest axis that is resized or blurred
  std::int64_t most_filter_weights;                         ///< of such an axis
  bool has_jitter;                                          ///< whether maps differ between images
  bool erases_values;                                       ///< whether an operation erases normalized values
};

/// How much of an image its kernel must have made before it can compute a value of the output.
enum class AugmentDemand : std::int32_t {
  moves,          ///< rows and columns of codes move; one crop may show a fill value, and one rectangle may be filled
  erasing_moves,  ///< the same, but the rectangle is of normalized values
  pixels,         ///< each value is one code, or a fill value
  resizing,       ///< or a weighted sum of codes
  images,         ///< whole images between some operations
};

/// Whether an operation needs the whole image, and makes a whole image.
OCTAVO_HOST_DEVICE inline bool makes_image(AugmentKind kind) {
  return (kind >= AugmentKind::affine && kind <= AugmentKind::rand_augment) || kind == AugmentKind::timm_rand_augment;
}
OCTAVO_HOST_DEVICE inline bool resizes(AugmentKind kind) {
  return kind == AugmentKind::random_resized_crop || kind == AugmentKind::resize;
}

/// Whether operations of this kind only move rows and columns, fill rectangles, or change normalized values.
OCTAVO_HOST_DEVICE inline bool is_moving(AugmentKind kind) {
  return kind <= AugmentKind::jitter || kind == AugmentKind::view_flip_x || kind == AugmentKind::view_shift;
}

/// Whether a crop may show its fill value.
inline bool may_fill(const AugmentOp& op, ImageSize size) {
  if (op.border != Border::constant) return false;
  if (op.kind == AugmentKind::center_crop) return op.height > size.height || op.width > size.width;
  return op.kind == AugmentKind::random_crop && op.margin > 0;
}

inline bool erases(AugmentKind kind) {
  return kind == AugmentKind::erase_square || kind == AugmentKind::erase_rectangle;
}

/// Whether an operation may fill values with -0, whose sign depends on the codes below.
inline bool may_fill_negative_zero(const AugmentOp& op) {
  if (op.kind == AugmentKind::jitter) return !(op.factor.low >= 0.0);
  if (!erases(op.kind) || !op.is_normalized) return false;
  for (const float value : op.values.of_channel) {
    if (value == 0.0f && std::signbit(value)) return true;
  }
  return false;
}

/// Whether codes only move along rows and columns, at most one crop fills pixels, and then at most one erasure.
inline bool only_moves(const AugmentProgram& program) {
  int crop_count = 0, erasure_count = 0;
  for (int i = 0; i < program.op_count; ++i) {
    const AugmentOp& op = program.ops[i];
    const bool moves = op.kind != AugmentKind::jitter && !erases(op.kind);
    if (!is_moving(op.kind) || (moves && erasure_count > 0) || may_fill_negative_zero(op)) return false;
    crop_count += may_fill(op, program.sizes[i]);
    erasure_count += erases(op.kind);
  }
  return crop_count <= 1 && erasure_count <= 1;
}

/// The demand of a program. If samples are mixed, two images would need two filters, so they are made first.
inline AugmentDemand demand_of(const AugmentProgram& program, bool mixes = false) {
  int resizing_count = 0;
  for (int i = 0; i < program.op_count; ++i) {
    if (makes_image(program.ops[i].kind)) return AugmentDemand::images;
    if (resizes(program.ops[i].kind)) ++resizing_count;
  }
  if (resizing_count == 0) {
    if (mixes || !only_moves(program)) return AugmentDemand::pixels;
    return program.erases_values ? AugmentDemand::erasing_moves : AugmentDemand::moves;
  }
  return resizing_count == 1 && !mixes ? AugmentDemand::resizing : AugmentDemand::images;
}

}  // namespace octavo::kernels
