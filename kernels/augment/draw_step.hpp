// Draws the step of any operation.
#pragma once

#include <cstdint>

#include "kernels/augment/draw_color.hpp"
#include "kernels/augment/draw_geometry.hpp"
#include "kernels/augment/draw_policy.hpp"
#include "kernels/augment/draws.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels {

namespace detail {

/// What the noise of standard deviation `deviation`, as a share of 255, multiplies noise_of() by, in multiples of
/// 2^-16.
OCTAVO_HOST_DEVICE inline std::int32_t fixed_noise(double deviation) {
  constexpr double kVariance = 8 * (256 * 256 - 1) / 12.0;  // of the sum of eight bytes
  return static_cast<std::int32_t>(::floor(deviation * (255.0 * 65536.0 / ::sqrt(kVariance)) + 0.5));
}

}  // namespace detail

/// The step of `op`, whose kind is_moving(), for an image of `size`.
OCTAVO_HOST_DEVICE inline MovingStep draw_moving_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  MovingStep step{};
  if (op.kind == AugmentKind::alternating_flip_x) {
    // Every sample takes its side from epoch 0, so that it is mirrored in every second epoch.
    const bool is_first = draw({key.seed, 0, key.index, key.view}, op.slot, 0).word[0] < 0x80000000u;
    if (is_first == (key.epoch % 2 == 0)) step.kind = StepKind::flip_x;
    return step;
  }
  if (op.kind == AugmentKind::view_flip_x) {
    if (key.view % 2 == 1) step.kind = StepKind::flip_x;
    return step;
  }
  if (op.kind == AugmentKind::view_shift) return detail::view_shift_step(op, key.view / 2);
  const PhiloxWords words = draw(key, op.slot, 0);
  if (!(fraction_of(words.word[0]) < op.probability)) return step;
  switch (op.kind) {
    case AugmentKind::flip_x:
      step.kind = StepKind::flip_x;
      return step;
    case AugmentKind::flip_y:
      step.kind = StepKind::flip_y;
      return step;
    case AugmentKind::random_crop:
    case AugmentKind::center_crop:
      return detail::crop_step(op, size, words);
    case AugmentKind::erase_square:
      return detail::square_step(op, size, words);
    case AugmentKind::erase_rectangle:
      return detail::rectangle_step(op, size, key);
    case AugmentKind::jitter:
      step.kind = StepKind::jitter;
      step.shift = static_cast<float>(op.shift.at(words.word[1]));
      step.factor = static_cast<float>(op.factor.at(words.word[2]));
      return step;
    default:
      return step;
  }
}

/// Resizes a whole image of `size`.
OCTAVO_HOST_DEVICE inline MovingStep whole_image_step(ImageSize size) {
  MovingStep step{};
  step.kind = StepKind::resample;
  step.height = size.height;
  step.width = size.width;
  return step;
}

/// The step of `op`, whose kind resizes(), for an image of `size`.
OCTAVO_HOST_DEVICE inline MovingStep draw_resizing_step(const AugmentOp& op, ImageSize size, const DrawKey& key) {
  if (!(fraction_of(draw(key, op.slot, 0).word[0]) < op.probability)) return {};
  return op.kind == AugmentKind::resize ? whole_image_step(size) : detail::resized_crop_step(op, size, key);
}

/// The step of `op` for an image of `channels` channels and `size`.
OCTAVO_HOST_DEVICE inline AugmentStep draw_step(const AugmentOp& op, std::int64_t channels, ImageSize size,
                                                const DrawKey& key) {
  AugmentStep step{};
  if (is_moving(op.kind)) {
    static_cast<MovingStep&>(step) = draw_moving_step(op, size, key);
    return step;
  }
  if (resizes(op.kind)) {
    static_cast<MovingStep&>(step) = draw_resizing_step(op, size, key);
    return step;
  }
  const PhiloxWords words = draw(key, op.slot, 0);
  if (op.kind == AugmentKind::trivial_augment || op.kind == AugmentKind::rand_augment) {
    return detail::policy_step(op, size, words);
  }
  if (!(fraction_of(words.word[0]) < op.probability)) return step;
  switch (op.kind) {
    case AugmentKind::affine:
      return detail::affine_step(op, size, key, words);
    case AugmentKind::color_jitter:
      return detail::color_jitter_step(op, key, words);
    case AugmentKind::grayscale:
      return detail::amount_step(StepKind::saturation, 0);
    case AugmentKind::permute_channels:
      return detail::permute_step(static_cast<std::int32_t>(channels), words.word[1]);
    case AugmentKind::solarize:
      return detail::amount_step(StepKind::solarize, op.level);
    case AugmentKind::posterize:
      return detail::amount_step(StepKind::posterize, op.level);
    case AugmentKind::invert:
      return detail::amount_step(StepKind::invert, 0);
    case AugmentKind::gamma:
      return detail::gamma_step(op.amount.at(words.word[1]));
    case AugmentKind::autocontrast:
      return detail::amount_step(StepKind::autocontrast, 0);
    case AugmentKind::equalize:
      return detail::amount_step(StepKind::equalize, 0);
    case AugmentKind::sharpness:
      return detail::amount_step(StepKind::sharpness, fixed_factor(op.amount.at(words.word[1])));
    case AugmentKind::blur:
      return detail::blur_step(op.radius, op.amount.at(words.word[1]));
    case AugmentKind::noise: {
      AugmentStep noise = detail::amount_step(StepKind::noise, detail::fixed_noise(op.amount.at(words.word[1])));
      noise.key = static_cast<std::uint64_t>(words.word[2]) << 32 | words.word[3];
      return noise;
    }
    case AugmentKind::timm_rand_augment:
      return detail::timm_policy_step(op, size, key, words);
    default:
      return step;
  }
}

}  // namespace octavo::kernels
