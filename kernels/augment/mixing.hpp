// Mixes pairs of samples of a batch: MixUp and CutMix, and the labels that go with them (docs/numerics.md, "Mixing").
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/augment/draws.hpp"
#include "kernels/augment/exact_math.hpp"
#include "kernels/augment/program.hpp"
#include "kernels/host_device.hpp"
#include "kernels/permute.hpp"

namespace octavo::kernels {

/// The sample of its batch that a sample is mixed with.
enum class MixPartner : std::int32_t {
  previous,  ///< the one before; the first sample is mixed with the last one
  opposite,  ///< the one at the same distance from the other end
  shuffled,  ///< the one at the same place in a random order
};

/// How the samples of a batch are mixed.
struct MixProgram {
  bool is_on;                ///< false: they are not
  std::uint64_t seed;        ///< of the augmentation
  double probability;        ///< of mixing at all
  double cutmix_share;       ///< the probability of CutMix if samples are mixed; else MixUp
  double inverse_alphas[2];  ///< 1 / alpha of the beta distribution, for MixUp and CutMix
  MixPartner partner;
  bool is_per_sample;  ///< each sample draws; otherwise the first one of a batch draws for all
};

enum class MixKind : std::int32_t { none, mixup, cutmix };

/// How one sample is mixed.
struct MixStep {
  MixKind kind;
  float own, other;   ///< the weights of its label and of its partner's; of MixUp, also of the values
  std::int32_t y, x;  ///< cutmix: the rectangle that shows the partner
  std::int32_t height, width;
};

/// Attempts to draw from a beta distribution: 2 of each block.
inline constexpr std::uint32_t kBetaBlocks = 64;

namespace detail {

/// log2 of a number in (0, 1).
OCTAVO_HOST_DEVICE inline double log2_of(std::uint32_t word) {
  return exact_log2((static_cast<double>(word) + 0.5) * 0x1p-32);
}

/// A number from the distribution beta(alpha, alpha), alpha <= 2, by the method of M. D. Joehnk (1964); 1/2 after 128
/// attempts that fail.
OCTAVO_HOST_DEVICE inline double beta_at(const DrawKey& key, std::uint32_t slot, double inverse_alpha) {
  for (std::uint32_t block = 1; block <= kBetaBlocks; ++block) {
    const PhiloxWords words = draw(key, slot, block);
    for (int attempt = 0; attempt < 2; ++attempt) {
      const double a = log2_of(words.word[2 * attempt]) * inverse_alpha;
      const double b = log2_of(words.word[2 * attempt + 1]) * inverse_alpha;
      const auto power = [](double exponent) { return exponent < -64.0 ? 0.0 : exact_exp2(exponent); };
      if (power(a) + power(b) > 1.0) continue;
      const double odds = b - a;  // log2 of (1 - x) / x
      return odds > 64.0 ? 0.0 : odds < -64.0 ? 1.0 : 1.0 / (1.0 + exact_exp2(odds));
    }
  }
  return 0.5;
}

}  // namespace detail

/// The slot of mixing: kind 24.
inline constexpr std::uint32_t kMixSlot = 24 * kMostOfOneKind;

/// How a sample is mixed if `key` draws, for images of `size`.
OCTAVO_HOST_DEVICE inline MixStep draw_mix(const MixProgram& program, const DrawKey& key, ImageSize size) {
  MixStep step{MixKind::none, 1.0f, 0.0f, 0, 0, 0, 0};
  const PhiloxWords words = draw(key, kMixSlot, 0);
  if (!(fraction_of(words.word[0]) < program.probability)) return step;
  const bool is_cutmix = fraction_of(words.word[1]) < program.cutmix_share;
  const double share = detail::beta_at(key, kMixSlot, program.inverse_alphas[is_cutmix ? 1 : 0]);
  step.kind = is_cutmix ? MixKind::cutmix : MixKind::mixup;
  if (!is_cutmix) {
    step.own = static_cast<float>(share);
    step.other = static_cast<float>(1.0 - share);
    return step;
  }
  const double half = 0.5 * ::sqrt(1.0 - share);
  const auto axis = [half](std::int32_t count, std::uint32_t word, std::int32_t& first, std::int32_t& length) {
    const std::int32_t center = whole_number_below(count, word);
    const auto reach = static_cast<std::int32_t>(half * count);
    first = center - reach < 0 ? 0 : center - reach;
    length = (center + reach > count ? count : center + reach) - first;
  };
  axis(size.height, words.word[2], step.y, step.height);
  axis(size.width, words.word[3], step.x, step.width);
  const double shown = static_cast<double>(step.height) * static_cast<double>(step.width) /
                       (static_cast<double>(size.height) * static_cast<double>(size.width));
  step.own = static_cast<float>(1.0 - shown);
  step.other = static_cast<float>(shown);
  return step;
}

/// The position that is mixed with `position` of a batch of `count` samples, whose first sample draws with `key`.
OCTAVO_HOST_DEVICE inline std::int64_t mix_partner(const MixProgram& program, const DrawKey& key, std::int64_t position,
                                                   std::int64_t count) {
  if (program.partner == MixPartner::previous) return position == 0 ? count - 1 : position - 1;
  if (program.partner == MixPartner::opposite) return count - 1 - position;
  const PhiloxWords words = draw(key, kMixSlot, kBetaBlocks + 1);
  const std::uint64_t seed = words.word[0] | static_cast<std::uint64_t>(words.word[1]) << 32;
  return permute(make_order_key(count, seed, 0, true), position);
}

/// The value of a mixed image at (y, x): own() and other() are those of the sample and of its partner.
template <typename Own, typename Other>
OCTAVO_HOST_DEVICE inline float mixed_value(const MixStep& step, std::int32_t y, std::int32_t x, const Own& own,
                                            const Other& other) {
  if (step.kind == MixKind::mixup) return step.own * own() + step.other * other();
  const bool is_other =
      step.kind == MixKind::cutmix && y >= step.y && y - step.y < step.height && x >= step.x && x - step.x < step.width;
  return is_other ? other() : own();
}

/// What replaces class numbers: a probability for each class; or pairs, which are the class of a sample, that of its
/// partner (its own, if the partner has no weight), and the weight of the first.
struct SoftLabels {
  std::int64_t class_count;  ///< of probabilities, else 0
  float rest;                ///< of every class: smoothing / class_count
  float peak;                ///< 1 - smoothing, shared out over the classes of the sample and its partner
  bool are_pairs;

  /// Numbers of a label; 0: labels stay as they are.
  OCTAVO_HOST_DEVICE std::int64_t width() const { return are_pairs ? 3 : class_count; }
};

/// Number `k` of the label of a sample of class `own`, mixed with one of class `other`.
OCTAVO_HOST_DEVICE inline float soft_label_number(const SoftLabels& labels, const MixStep& step, std::int64_t k,
                                                  std::int32_t own, std::int32_t other) {
  if (labels.are_pairs) return k == 2 ? step.own : static_cast<float>(k == 0 || step.other == 0.0f ? own : other);
  const float weight = (k == own ? step.own : 0.0f) + (k == other ? step.other : 0.0f);
  return labels.rest + labels.peak * weight;
}

}  // namespace octavo::kernels
