// Draws the steps that change colors.
#pragma once

#include <cstdint>

#include "kernels/augment/axis_filter.hpp"
#include "kernels/augment/color.hpp"
#include "kernels/augment/draws.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/augment/steps.hpp"
#include "kernels/host_device.hpp"

namespace octavo::kernels::detail {

OCTAVO_HOST_DEVICE inline AugmentStep amount_step(StepKind kind, std::int32_t amount) {
  AugmentStep step{};
  step.kind = kind;
  step.amount = amount;
  return step;
}

/// Item `part` of the permutation `number`, in lexicographic order, of 0 to count - 1. `count` is at most 4.
OCTAVO_HOST_DEVICE inline std::int32_t permuted(std::int32_t number, std::int32_t count, std::int32_t part) {
  std::uint32_t left = (1u << count) - 1;  // a bit for each item that is left
  std::int32_t item = 0;
  for (std::int32_t place = 0; place <= part; ++place) {
    std::int32_t orders = 1;  // of the items after this place
    for (std::int32_t i = 2; i < count - place; ++i) orders *= i;
    std::int32_t skipped = number / orders;
    number %= orders;
    for (item = 0; (left >> item & 1) == 0 || skipped-- > 0;) ++item;
    left &= ~(1u << item);
  }
  return item;
}

/// The four operations of a color jitter draw the same words.
OCTAVO_HOST_DEVICE inline AugmentStep color_jitter_step(const AugmentOp& op, const DrawKey& key, PhiloxWords words) {
  const PhiloxWords amounts = draw(key, op.slot, 1);
  const std::int32_t change = permuted(whole_number_below(24, words.word[1]), kColorChanges, op.part);
  const double amount = op.colors[change].at(amounts.word[change]);
  switch (static_cast<ColorChange>(change)) {
    case ColorChange::brightness:
      return amount_step(StepKind::brightness, fixed_factor(amount));
    case ColorChange::contrast:
      return amount_step(StepKind::contrast, fixed_factor(amount));
    case ColorChange::saturation:
      return amount_step(StepKind::saturation, fixed_factor(amount));
    case ColorChange::hue:
      return amount_step(StepKind::hue, fixed_hue(amount));
  }
  return {};
}

OCTAVO_HOST_DEVICE inline AugmentStep permute_step(std::int32_t channels, std::uint32_t word) {
  AugmentStep step{};
  step.kind = StepKind::permute;
  std::int32_t orders = 1;
  for (std::int32_t i = 2; i <= channels; ++i) orders *= i;
  const std::int32_t number = whole_number_below(orders, word);
  for (std::int32_t c = 0; c < channels; ++c) step.source[c] = permuted(number, channels, c);
  return step;
}

OCTAVO_HOST_DEVICE inline AugmentStep gamma_step(double power) {
  AugmentStep step{};
  step.kind = StepKind::gamma;
  step.power = power;
  return step;
}

/// A Gaussian at the distances 0 to radius, scaled so that all weights add up to 1: the middle one makes up the rest.
OCTAVO_HOST_DEVICE inline AugmentStep blur_step(std::int32_t radius, double sigma) {
  AugmentStep step{};
  step.kind = StepKind::blur;
  const double scale = -0.5 / (sigma * sigma) / kLn2;  // e^x = 2^(x / ln 2)
  const auto bell = [scale](std::int32_t distance) {
    const double exponent = scale * static_cast<double>(distance) * static_cast<double>(distance);
    return exponent < -64.0 ? 0.0 : exact_exp2(exponent);
  };
  double sum = 1.0;
  for (std::int32_t d = 1; d <= radius; ++d) sum += 2.0 * bell(d);
  std::int32_t rest = 1 << kWeightBits;
  for (std::int32_t d = 1; d <= radius; ++d) {
    const auto weight = static_cast<std::int32_t>(::floor(bell(d) / sum * (1 << kWeightBits) + 0.5));
    step.weights[d] = static_cast<std::int16_t>(weight);
    rest -= 2 * weight;
  }
  step.weights[0] = static_cast<std::int16_t>(rest);
  return step;
}

}  // namespace octavo::kernels::detail
