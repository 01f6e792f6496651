#include "augment/mix_program.hpp"

#include <string>
#include <utility>

#include <octavo/errors.hpp>

#include "augment/parameter_checks.hpp"
#include "format/limits.hpp"

namespace octavo {
namespace {

kernels::MixPartner partner_of(augment::Partner partner) {
  switch (partner) {
    case augment::Partner::previous:
      return kernels::MixPartner::previous;
    case augment::Partner::opposite:
      return kernels::MixPartner::opposite;
    case augment::Partner::shuffled:
      return kernels::MixPartner::shuffled;
  }
  return kernels::MixPartner::previous;
}

}  // namespace

kernels::MixProgram augment::make_mix(const BatchSpec& spec) {
  if (!spec.mix) return {};
  const augment::Mix& mix = *spec.mix;
  const auto refuse = [](const std::string& why) -> void { throw InvalidArgument("mix: " + why); };
  if (const std::string fault = augment::struct_fault(mix); !fault.empty()) refuse(fault);
  for (const auto& [alpha, name] : {std::pair{mix.mixup_alpha, "mixup_alpha"}, {mix.cutmix_alpha, "cutmix_alpha"}}) {
    if (alpha != 0.0 && alpha < 0.01) {
      refuse(std::string(name) + " is " + augment::value_text(alpha) + "; expected 0, or 0.01 to 2");
    }
  }
  if (mix.mixup_alpha == 0.0 && mix.cutmix_alpha == 0.0) refuse("mixup_alpha and cutmix_alpha are 0; set one of them");
  if (spec.views != 1) refuse("samples of several views cannot be mixed; use one view");
  if (spec.soft_classes == 0 && !mix.pairs)
    refuse("labels of mixed samples are probabilities; set the number of classes, or pairs");
  kernels::MixProgram program{};
  program.is_on = true;
  program.seed = spec.augment_seed;
  program.probability = mix.probability;
  program.cutmix_share = mix.mixup_alpha == 0.0 ? 1.0 : mix.cutmix_alpha == 0.0 ? 0.0 : mix.cutmix_share;
  program.inverse_alphas[0] = mix.mixup_alpha == 0.0 ? 0.0 : 1.0 / mix.mixup_alpha;
  program.inverse_alphas[1] = mix.cutmix_alpha == 0.0 ? 0.0 : 1.0 / mix.cutmix_alpha;
  program.partner = partner_of(mix.partner);
  program.is_per_sample = mix.per_sample;
  return program;
}

kernels::SoftLabels augment::make_soft_labels(const BatchSpec& spec, const LabelLayout& labels,
                                              std::size_t class_count) {
  const auto refuse = [](const std::string& why) -> void { throw InvalidArgument("soft labels: " + why); };
  if (!(spec.label_smoothing >= 0.0 && spec.label_smoothing < 1.0)) refuse("label_smoothing is not between 0 and 1");
  const bool are_pairs = spec.mix && spec.mix->pairs;
  if (are_pairs && spec.soft_classes != 0) refuse("labels become pairs; omit the number of classes");
  if (spec.soft_classes == 0 && spec.label_smoothing > 0.0) {
    refuse("label_smoothing needs the number of classes; with pairs, it belongs to the loss");
  }
  if (spec.soft_classes == 0 && !are_pairs) return {};
  if (labels.kind != LabelKind::class_index)
    refuse(std::string("the labels are ") + to_string(labels.kind) + "; only class numbers can become soft");
  if (are_pairs) return {.class_count = 0, .rest = 0.0f, .peak = 0.0f, .are_pairs = true};
  if (spec.soft_classes < 1 || spec.soft_classes > dataset_file::kMostLabelWidth)
    refuse("the number of classes is not between 1 and " + std::to_string(dataset_file::kMostLabelWidth));
  if (class_count > 0 && static_cast<std::int64_t>(class_count) != spec.soft_classes) {
    refuse("the number of classes is " + std::to_string(spec.soft_classes) + ", but the file has " +
           std::to_string(class_count));
  }
  const auto classes = static_cast<double>(spec.soft_classes);
  return {spec.soft_classes, static_cast<float>(spec.label_smoothing / classes),
          static_cast<float>(1.0 - spec.label_smoothing), false};
}

}  // namespace octavo
