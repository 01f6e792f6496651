// An augmentation as both backends read it: a list of operations, and the steps that they become for one image.
//
// An operation is the same for all images; its random numbers turn it into a step, which is the same for all values of
// one image. The definitions are in docs/numerics.md, "Augmentation".
#pragma once

#include <cstdint>

#include "kernels/augment/axis_filter.hpp"
#include "kernels/augment/draws.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// The most operations of an augmentation that resize.
inline constexpr int kMostResamplings = 2;
/// The most operations of an augmentation.
inline constexpr int kMostAugmentOps = 16;
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
};

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
  std::uint32_t slot;              ///< of its random numbers: below 2^16, different for each operation
  double probability;              ///< of a flip or an erasure
  std::int32_t height, width;      ///< crops, resize: of the output
  bool antialias;                  ///< random_resized_crop, resize
  std::int32_t margin;             ///< random_crop: pixels added at each side
  Border border;                   ///< crops: what is beyond the edge
  FillValues<std::int8_t> fill;    ///< crops, erasures: as codes
  std::int32_t side;               ///< erase_square
  bool is_inside;                  ///< erase_square: lies in the image; otherwise only its center does
  double area_low, area_high;      ///< erase_rectangle, random_resized_crop: as a share of the image
  double ratio_low, ratio_high;    ///< log2 of height / width (erase_rectangle), of width / height (resized crop)
  bool is_normalized;              ///< erasures: fill the normalized values with `values` instead of the codes
  FillValues<float> values;        ///< erasures, if is_normalized
  double shift_low, shift_high;    ///< jitter
  double factor_low, factor_high;  ///< jitter
};

/// The operations in the order in which they are applied. Those that change normalized values come last.
struct AugmentProgram {
  std::uint64_t seed;
  std::int32_t op_count;
  AugmentOp ops[kMostAugmentOps];
  std::int64_t most_pixels;  ///< H*W of the largest image between two operations, and of the output
  std::int32_t most_resampled_side, most_resampled_output;  ///< pixels of the longest axis that is resized; 0: none
  std::int32_t resampling_count;                            ///< operations that resize
  bool has_jitter;                                          ///< whether maps differ between images
  bool erases_values;                                       ///< whether an operation erases normalized values
};

enum class StepKind : std::int32_t { none, flip_x, flip_y, crop, resample, erase, jitter };

/// What an operation does to one image.
struct AugmentStep {
  StepKind kind;
  std::int32_t y, x;           ///< the first pixel: crop: of the output, in the input; resample, erase: of the part
  std::int32_t height, width;  ///< resample: of the part that is resized; erase: of the rectangle
  float shift, factor;         ///< jitter: v becomes (v + shift) * factor
};

/// The size of an image between two steps.
struct ImageSize {
  std::int32_t height, width;
};

namespace detail {

OCTAVO_HOST_DEVICE inline std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
OCTAVO_HOST_DEVICE inline std::int32_t smaller(std::int32_t a, std::int32_t b) { return a < b ? a : b; }

/// Half the difference of two sizes, rounded to the nearest even number if the image is larger, as torchvision does;
/// else rounded down in size.
OCTAVO_HOST_DEVICE inline std::int32_t center_start(std::int32_t count, std::int32_t out_count) {
  const std::int32_t rest = count - out_count, half = rest / 2;
  return rest > 0 && rest % 2 == 1 && half % 2 == 1 ? half + 1 : half;
}

OCTAVO_HOST_DEVICE inline AugmentStep crop_step(const AugmentOp& op, ImageSize size, PhiloxWords words) {
  AugmentStep step{};
  step.kind = StepKind::crop;
  if (op.kind == AugmentKind::center_crop) {
    step.y = center_start(size.height, op.height);
    step.x = center_start(size.width, op.width);
    return step;
  }
  // The rest of the padded image is never negative: the program has been checked.
  step.y = whole_number_below(size.height + 2 * op.margin - op.height + 1, words.word[1]) - op.margin;
  step.x = whole_number_below(size.width + 2 * op.margin - op.width + 1, words.word[2]) - op.margin;
  return step;
}

OCTAVO_HOST_DEVICE inline AugmentStep square_step(const AugmentOp& op, ImageSize size, PhiloxWords words) {
  AugmentStep step{};
  step.kind = StepKind::erase;
  if (op.is_inside) {
    step.height = smaller(op.side, size.height);
    step.width = smaller(op.side, size.width);
    step.y = whole_number_below(size.height - step.height + 1, words.word[1]);
    step.x = whole_number_below(size.width - step.width + 1, words.word[2]);
    return step;
  }
  const std::int32_t top = whole_number_below(size.height, words.word[1]) - op.side / 2;
  const std::int32_t left = whole_number_below(size.width, words.word[2]) - op.side / 2;
  step.y = larger(top, 0);
  step.x = larger(left, 0);
  step.height = smaller(top + op.side, size.height) - step.y;
  step.width = smaller(left + op.side, size.width) - step.x;
  return step;
}

/// Attempts to find a rectangle that fits in the image; torchvision and timm make as many.
inline constexpr std::uint32_t kRectangleAttempts = 10;

/// A part that one attempt draws: its area is a share of the image, and `across` / `along` its ratio.
struct DrawnPart {
  double across, along;  ///< pixels, rounded to whole numbers
  PhiloxWords words;     ///< of which the last two are left for the position
};
OCTAVO_HOST_DEVICE inline DrawnPart draw_part(const AugmentOp& op, ImageSize size, const DrawKey& key,
                                              std::uint32_t attempt) {
  const PhiloxWords words = draw(key, op.slot, attempt);
  const double pixels = static_cast<double>(size.height) * static_cast<double>(size.width);
  const double area = pixels * number_between(op.area_low, op.area_high, words.word[0]);
  const double ratio = exact_exp2(number_between(op.ratio_low, op.ratio_high, words.word[1]));
  return {::floor(::sqrt(area * ratio) + 0.5), ::floor(::sqrt(area / ratio) + 0.5), words};
}

/// Sets the size of a part that fits in the image, and draws its position.
OCTAVO_HOST_DEVICE inline void place_part(AugmentStep& step, ImageSize size, double height, double width,
                                          PhiloxWords words) {
  step.height = static_cast<std::int32_t>(height);
  step.width = static_cast<std::int32_t>(width);
  step.y = whole_number_below(size.height - step.height + 1, words.word[2]);
  step.x = whole_number_below(size.width - step.width + 1, words.word[3]);
}

/// A part of the image with the drawn area and ratio; the largest one at the center if none of the attempts fits.
OCTAVO_HOST_DEVICE inline AugmentStep resized_crop_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  AugmentStep step{};
  step.kind = StepKind::resample;
  const double H = size.height, W = size.width;
  for (std::uint32_t attempt = 1; attempt <= kRectangleAttempts; ++attempt) {
    const DrawnPart part = draw_part(op, size, key, attempt);  // the ratio is width / height
    if (part.along < 1.0 || part.across < 1.0 || part.along > H || part.across > W) continue;
    place_part(step, size, part.along, part.across, part.words);
    return step;
  }
  const double least = exact_exp2(op.ratio_low), most = exact_exp2(op.ratio_high);
  double height = H, width = W;
  if (W / H < least)
    height = ::floor(W / least + 0.5);
  else if (W / H > most)
    width = ::floor(H * most + 0.5);
  step.height = smaller(larger(static_cast<std::int32_t>(height), 1), size.height);
  step.width = smaller(larger(static_cast<std::int32_t>(width), 1), size.width);
  step.y = (size.height - step.height) / 2;
  step.x = (size.width - step.width) / 2;
  return step;
}

OCTAVO_HOST_DEVICE inline AugmentStep rectangle_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  AugmentStep step{};
  for (std::uint32_t attempt = 1; attempt <= kRectangleAttempts; ++attempt) {
    const DrawnPart part = draw_part(op, size, key, attempt);  // the ratio is height / width
    if (part.across < 1.0 || part.along < 1.0 || part.across >= size.height || part.along >= size.width) continue;
    step.kind = StepKind::erase;
    place_part(step, size, part.across, part.along, part.words);
    return step;
  }
  return step;
}

}  // namespace detail

/// The step of `op` for an image of `size`.
OCTAVO_HOST_DEVICE inline AugmentStep draw_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  AugmentStep step{};
  if (op.kind == AugmentKind::alternating_flip_x) {
    // Every sample takes its side from epoch 0, so that it is mirrored in every second epoch.
    const bool is_first = draw({key.seed, 0, key.index, key.view}, op.slot, 0).word[0] < 0x80000000u;
    if (is_first == (key.epoch % 2 == 0)) step.kind = StepKind::flip_x;
    return step;
  }
  const PhiloxWords words = draw(key, op.slot, 0);
  if (!(fraction_of(words.word[0]) < op.probability)) return step;
  switch (op.kind) {
    case AugmentKind::alternating_flip_x:
      return step;
    case AugmentKind::flip_x:
      step.kind = StepKind::flip_x;
      return step;
    case AugmentKind::flip_y:
      step.kind = StepKind::flip_y;
      return step;
    case AugmentKind::random_crop:
    case AugmentKind::center_crop:
      return detail::crop_step(op, size, words);
    case AugmentKind::random_resized_crop:
      return detail::resized_crop_step(op, size, key);
    case AugmentKind::resize:
      step.kind = StepKind::resample;
      step.height = size.height;
      step.width = size.width;
      return step;
    case AugmentKind::erase_square:
      return detail::square_step(op, size, words);
    case AugmentKind::erase_rectangle:
      return detail::rectangle_step(op, size, key);
    case AugmentKind::jitter:
      step.kind = StepKind::jitter;
      step.shift = static_cast<float>(number_between(op.shift_low, op.shift_high, words.word[1]));
      step.factor = static_cast<float>(number_between(op.factor_low, op.factor_high, words.word[2]));
      return step;
  }
  return step;
}

/// The size of an image after a step of `op`.
OCTAVO_HOST_DEVICE inline ImageSize size_after(const AugmentOp& op, const AugmentStep& step, ImageSize size) {
  const bool is_cut = step.kind == StepKind::crop || step.kind == StepKind::resample;
  return is_cut ? ImageSize{op.height, op.width} : size;
}

/// The pixel of an axis of `count` pixels that is shown at `at`, which is less than count - 1 pixels beyond either end
/// for `reflect`; -1: the fill value.
OCTAVO_HOST_DEVICE inline std::int32_t inside(Border border, std::int32_t at, std::int32_t count) {
  if (at >= 0 && at < count) return at;
  if (border == Border::constant) return -1;
  if (border == Border::edge) return at < 0 ? 0 : count - 1;
  return at < 0 ? -at : 2 * (count - 1) - at;
}

}  // namespace octavo::kernels
