// Draws the steps that move pixels: crops, resized parts, erasures, affine warps.
#pragma once

#include <cstdint>

#include "kernels/augment/draws.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/augment/warp.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels::detail {

OCTAVO_HOST_DEVICE inline std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
OCTAVO_HOST_DEVICE inline std::int32_t smaller(std::int32_t a, std::int32_t b) { return a < b ? a : b; }

/// Half the difference of two sizes, rounded to the nearest even number if the image is larger, as torchvision does;
/// else rounded down in size.
OCTAVO_HOST_DEVICE inline std::int32_t center_start(std::int32_t count, std::int32_t out_count) {
  const std::int32_t rest = count - out_count, half = rest / 2;
  return rest > 0 && rest % 2 == 1 && half % 2 == 1 ? half + 1 : half;
}

OCTAVO_HOST_DEVICE inline MovingStep crop_step(const AugmentOp& op, ImageSize size, PhiloxWords words) {
  MovingStep step{};
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

/// The first pair of views stays. The next ones are moved along the diagonals.
OCTAVO_HOST_DEVICE inline MovingStep view_shift_step(const AugmentOp& op, std::uint32_t pair) {
  MovingStep step{};
  if (pair % 5 == 0) return step;
  const std::uint32_t corner = pair % 5 - 1;
  step.kind = StepKind::crop;
  step.y = corner == 0 || corner == 2 ? -op.margin : op.margin;
  step.x = corner == 0 || corner == 3 ? -op.margin : op.margin;
  return step;
}

OCTAVO_HOST_DEVICE inline MovingStep square_step(const AugmentOp& op, ImageSize size, PhiloxWords words) {
  MovingStep step{};
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
  PhiloxWords words;     ///< the last two are for the position
};
// Out of line, to save registers of the kernels that draw.
OCTAVO_NO_INLINE OCTAVO_HOST_DEVICE inline DrawnPart draw_part(const AugmentOp& op, ImageSize size, const DrawKey& key,
                                                               std::uint32_t attempt) {
  const PhiloxWords words = draw(key, op.slot, attempt);
  const double pixels = static_cast<double>(size.height) * static_cast<double>(size.width);
  const double area = pixels * op.area.at(words.word[0]);
  const double ratio = exact_exp2(op.ratio.at(words.word[1]));
  return {::floor(::sqrt(area * ratio) + 0.5), ::floor(::sqrt(area / ratio) + 0.5), words};
}

/// Sets the size of a part that fits in the image, and draws its position.
OCTAVO_HOST_DEVICE inline void place_part(MovingStep& step, ImageSize size, double height, double width,
                                          PhiloxWords words) {
  step.height = static_cast<std::int32_t>(height);
  step.width = static_cast<std::int32_t>(width);
  step.y = whole_number_below(size.height - step.height + 1, words.word[2]);
  step.x = whole_number_below(size.width - step.width + 1, words.word[3]);
}

/// A part of the image with the drawn area and ratio; the largest one at the center if none of the attempts fits.
OCTAVO_HOST_DEVICE inline MovingStep resized_crop_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  MovingStep step{};
  step.kind = StepKind::resample;
  const double H = size.height, W = size.width;
  for (std::uint32_t attempt = 1; attempt <= kRectangleAttempts; ++attempt) {
    const DrawnPart part = draw_part(op, size, key, attempt);  // the ratio is width / height
    if (part.along < 1.0 || part.across < 1.0 || part.along > H || part.across > W) continue;
    place_part(step, size, part.along, part.across, part.words);
    return step;
  }
  const double least = exact_exp2(op.ratio.low), most = exact_exp2(op.ratio.high);
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

OCTAVO_HOST_DEVICE inline MovingStep rectangle_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  MovingStep step{};
  for (std::uint32_t attempt = 1; attempt <= kRectangleAttempts; ++attempt) {
    const DrawnPart part = draw_part(op, size, key, attempt);  // the ratio is height / width
    if (part.across < 1.0 || part.along < 1.0 || part.across >= size.height || part.along >= size.width) continue;
    step.kind = StepKind::erase;
    place_part(step, size, part.across, part.along, part.words);
    return step;
  }
  return step;
}

/// A whole number of pixels up to `most`, in either direction.
OCTAVO_HOST_DEVICE inline double drawn_translation(double most, std::uint32_t word) {
  return ::floor(number_between(-most, most, word) + 0.5);
}

OCTAVO_HOST_DEVICE inline AugmentStep affine_step(const AugmentOp& op, ImageSize size, const DrawKey& key,
                                                  PhiloxWords words) {
  const PhiloxWords more = draw(key, op.slot, 1);
  const double right = drawn_translation(op.most_right * size.width, words.word[1]);
  const double down = drawn_translation(op.most_down * size.height, words.word[2]);
  AugmentStep step{};
  step.kind = StepKind::warp;
  step.warp = warp_of(affine_matrix(op.degrees.at(more.word[0]), right, down, op.scale.at(more.word[1]),
                                    op.shear_x.at(more.word[2]), op.shear_y.at(more.word[3])),
                      size);
  return step;
}

}  // namespace octavo::kernels::detail
