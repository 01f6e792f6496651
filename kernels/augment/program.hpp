// An augmentation as both backends read it: a list of operations. They are the same for all images; random numbers turn
// them into the steps of one image (steps.hpp). The definitions are in docs/numerics.md, "Augmentation".
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/augment/border.hpp"
#include "kernels/augment/draws.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// The most operations of an augmentation. A color jitter counts as four.
inline constexpr int kMostAugmentOps = 32;
/// The most operations of one kind.
inline constexpr int kMostOfOneKind = 16;
/// The most channels that fill values may differ in.
inline constexpr int kMostFillChannels = 4;

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
  bool is_inside;                     ///< erase_square: is in the image; otherwise only its center is
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

/// Whether a crop may show its fill value.
inline bool may_fill(const AugmentOp& op, ImageSize size) {
  if (op.border != Border::constant) return false;
  if (op.kind == AugmentKind::center_crop) return op.height > size.height || op.width > size.width;
  return op.kind == AugmentKind::random_crop && op.margin > 0;
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
