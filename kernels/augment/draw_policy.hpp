// Draws the steps of TrivialAugment and RandAugment, torchvision's (one of 14 operations, with a magnitude of 31
// levels) and timm's (one of 15 operations, with a normally distributed magnitude).
#pragma once

#include <cstdint>

#include "kernels/augment/color.hpp"
#include "kernels/augment/draw_color.hpp"
#include "kernels/augment/draws.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/augment/warp.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// In the order of torchvision. Part of the numbers that are drawn, so existing values never change.
enum class PolicyOp : std::int32_t {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  saturation,
  contrast,
  sharpness,
  posterize,
  solarize,
  autocontrast,
  equalize,
};
inline constexpr std::int32_t kPolicyOps = 14;

/// In the order of timm. Part of the numbers that are drawn, so existing values never change.
enum class TimmPolicyOp : std::int32_t {
  autocontrast,
  equalize,
  invert,
  rotate,
  posterize,
  solarize,
  solarize_add,
  saturation,
  contrast,
  brightness,
  sharpness,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
};
inline constexpr std::int32_t kTimmPolicyOps = 15;

namespace detail {

/// The matrix that shears an image along its first row or column, which stays.
OCTAVO_HOST_DEVICE inline AffineMatrix shear_matrix(double along_x, double along_y, ImageSize size) {
  return {1.0, along_x, along_y, 1.0, along_x * (0.5 * size.height), along_y * (0.5 * size.width)};
}

OCTAVO_HOST_DEVICE inline AugmentStep warp_step(const AffineMatrix& matrix, ImageSize size) {
  AugmentStep step{};
  step.kind = StepKind::warp;
  step.warp = warp_of(matrix, size);
  return step;
}

OCTAVO_HOST_DEVICE inline AugmentStep policy_step(const AugmentOp& op, ImageSize size, PhiloxWords words) {
  const PolicyMagnitudes& most = op.magnitudes;
  const std::int32_t level = most.level >= 0 ? most.level : whole_number_below(kPolicyLevels, words.word[1]);
  constexpr std::int32_t kLast = kPolicyLevels - 1;
  const double sign = words.word[2] < 0x80000000u ? -1.0 : 1.0;
  const double share = sign * static_cast<double>(level) / static_cast<double>(kLast);
  const auto translation = [&](std::int32_t side) {
    return sign * ::floor(sign * share * (most.translation_pixels + most.translation_share * side));
  };
  const auto factor = [&] { return fixed_factor(1.0 + share * most.strength); };
  switch (static_cast<PolicyOp>(whole_number_below(kPolicyOps, words.word[0]))) {
    case PolicyOp::identity:
      return {};
    case PolicyOp::shear_x:
      return warp_step(shear_matrix(share * most.shear, 0.0, size), size);
    case PolicyOp::shear_y:
      return warp_step(shear_matrix(0.0, share * most.shear, size), size);
    case PolicyOp::translate_x:
      return warp_step({1.0, 0.0, 0.0, 1.0, -translation(size.width), 0.0}, size);
    case PolicyOp::translate_y:
      return warp_step({1.0, 0.0, 0.0, 1.0, 0.0, -translation(size.height)}, size);
    case PolicyOp::rotate:
      return warp_step(affine_matrix(-share * most.degrees, 0.0, 0.0, 1.0, 0.0, 0.0), size);
    case PolicyOp::brightness:
      return amount_step(StepKind::brightness, factor());
    case PolicyOp::saturation:
      return amount_step(StepKind::saturation, factor());
    case PolicyOp::contrast:
      return amount_step(StepKind::contrast, factor());
    case PolicyOp::sharpness:
      return amount_step(StepKind::sharpness, factor());
    case PolicyOp::posterize:
      return amount_step(StepKind::posterize, 8 - (2 * level * most.posterized_bits + kLast) / (2 * kLast));
    case PolicyOp::solarize:
      return amount_step(StepKind::solarize, (255 * (kLast - level) + kLast - 1) / kLast);
    case PolicyOp::autocontrast:
      return amount_step(StepKind::autocontrast, 0);
    case PolicyOp::equalize:
      return amount_step(StepKind::equalize, 0);
  }
  return {};
}

/// A number of the standard normal distribution (G. Box and M. Muller, 1958).
OCTAVO_HOST_DEVICE inline double normal_number(PhiloxWords words) {
  const double log = exact_log2(open_fraction_of(words.word[0], words.word[1]));
  return ::sqrt(-2.0 * kLn2 * log) * exact_sin_cos(360.0 * fraction_of(words.word[2])).cos;
}

/// An operation of "rand-m9-mstd0.5-inc1".
OCTAVO_HOST_DEVICE inline AugmentStep timm_policy_step(const AugmentOp& op, ImageSize size, const DrawKey& key,
                                                       PhiloxWords words) {
  const double drawn = op.magnitude.mean + op.magnitude.deviation * normal_number(draw(key, op.slot, 1));
  const double magnitude = drawn < 0.0 ? 0.0 : drawn > kMostTimmMagnitude ? kMostTimmMagnitude : drawn;
  const double share = magnitude / kMostTimmMagnitude;
  const double signed_share = words.word[2] < 0x80000000u ? -share : share;
  const auto whole = [share](double most) { return static_cast<std::int32_t>(::floor(share * most)); };
  const auto factor = [signed_share] {
    const double moved = 1.0 + signed_share * 0.9;
    return fixed_factor(moved < 0.1 ? 0.1 : moved);
  };
  switch (static_cast<TimmPolicyOp>(whole_number_below(kTimmPolicyOps, words.word[1]))) {
    case TimmPolicyOp::autocontrast:
      return amount_step(StepKind::autocontrast, 0);
    case TimmPolicyOp::equalize:
      return amount_step(StepKind::equalize, 0);
    case TimmPolicyOp::invert:
      return amount_step(StepKind::invert, 0);
    case TimmPolicyOp::rotate:
      return warp_step(affine_matrix(-signed_share * 30.0, 0.0, 0.0, 1.0, 0.0, 0.0), size);
    case TimmPolicyOp::posterize:
      return amount_step(StepKind::posterize, 4 - whole(4.0));
    case TimmPolicyOp::solarize:
      return amount_step(StepKind::solarize, 256 - whole(256.0));
    case TimmPolicyOp::solarize_add:
      return amount_step(StepKind::solarize_add, whole(110.0));
    case TimmPolicyOp::saturation:
      return amount_step(StepKind::saturation, factor());
    case TimmPolicyOp::contrast:
      return amount_step(StepKind::contrast, factor());
    case TimmPolicyOp::brightness:
      return amount_step(StepKind::brightness, factor());
    case TimmPolicyOp::sharpness:
      return amount_step(StepKind::sharpness, factor());
    case TimmPolicyOp::shear_x:
      return warp_step(shear_matrix(signed_share * 0.3, 0.0, size), size);
    case TimmPolicyOp::shear_y:
      return warp_step(shear_matrix(0.0, signed_share * 0.3, size), size);
    case TimmPolicyOp::translate_x:
      return warp_step({1.0, 0.0, 0.0, 1.0, signed_share * 0.45 * size.width, 0.0}, size);
    case TimmPolicyOp::translate_y:
      return warp_step({1.0, 0.0, 0.0, 1.0, 0.0, signed_share * 0.45 * size.height}, size);
  }
  return {};
}

}  // namespace detail
}  // namespace octavo::kernels
