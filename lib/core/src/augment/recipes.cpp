#include <octavo/recipes.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <octavo/errors.hpp>
#include <octavo/text.hpp>

namespace octavo {
namespace {

using namespace augment;

/// A normalization for values of 0 to 1.
BatchSpec normalized(const std::array<double, 3>& mean, const std::array<double, 3>& deviation) {
  BatchSpec spec;
  spec.center = Center::values;
  spec.of_stored_values = true;
  spec.divisor_values.clear();
  for (const double value : mean) spec.center_values.push_back(value * 255.0);
  for (const double value : deviation) spec.divisor_values.push_back(value * 255.0);
  return spec;
}

BatchSpec cifar10() { return normalized({0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}); }

BatchSpec with(BatchSpec spec, Operations operations) {
  spec.augment = std::move(operations);
  return spec;
}

/// The center `crop` pixels of `size`.
BatchSpec center_of(std::int64_t size, std::int64_t crop, ResizeFilter interpolation = ResizeFilter::bilinear) {
  return with(BatchSpec::preset("imagenet"),
              {Resize{.size = size, .interpolation = interpolation}, CenterCrop{.size = {crop, crop}}});
}

void soften(BatchSpec& spec, std::int64_t class_count, double smoothing, const std::optional<Mix>& mix = {}) {
  if (class_count == 0) return;
  spec.soft_classes = class_count;
  spec.label_smoothing = smoothing;
  spec.mix = mix;
}

/// With six views for evaluation.
Recipe cifar10_recipe(std::int64_t batch_size, Operations operations, std::int64_t class_count) {
  Recipe recipe = {batch_size,
                   with(cifar10(), std::move(operations)),
                   2000,
                   with(cifar10(), {ViewShift{.pixels = 1}, ViewFlip{}}),
                   {0.25, 0.25, 0.125, 0.125, 0.125, 0.125}};
  recipe.evaluation.views = 6;
  soften(recipe.train, class_count, 0.2);
  return recipe;
}

Recipe ffcv(std::int64_t batch_size, std::int64_t class_count, std::int64_t epoch) {
  constexpr std::int64_t kEpochs = 16, kStart = kEpochs * 65 / 88, kEnd = kEpochs * 76 / 88;
  const double share = std::clamp(static_cast<double>(epoch - kStart) / (kEnd - kStart), 0.0, 1.0);
  const auto size = static_cast<std::int64_t>(std::nearbyint((160.0 + share * 32.0) / 32.0)) * 32;
  Recipe recipe = {batch_size,
                   with(BatchSpec::preset("imagenet"), {RandomResizedCrop{.size = {size, size}}, HorizontalFlip{}}),
                   512,
                   center_of(256, 224),
                   {0.5, 0.5}};
  recipe.evaluation.augment.emplace_back(ViewFlip{});
  recipe.evaluation.views = 2;
  soften(recipe.train, class_count, 0.1);
  return recipe;
}

Recipe torchvision_2(std::int64_t class_count) {
  Recipe recipe = {1024,
                   with(BatchSpec::preset("imagenet"),
                        {RandomResizedCrop{.size = {176, 176}}, HorizontalFlip{},
                         TrivialAugment{.interpolation = Interpolation::bilinear}, RandomErasing{.probability = 0.1}}),
                   1024, center_of(232, 224)};
  soften(recipe.train, class_count, 0.1, Mix{.mixup_alpha = 0.2, .cutmix_alpha = 1.0});
  return recipe;
}

Recipe timm_rsb_a2(std::int64_t class_count) {
  Recipe recipe = {
      2048,
      with(BatchSpec::preset("imagenet"),
           {RandomResizedCrop{.size = {224, 224}, .interpolation = ResizeFilter::bicubic}, HorizontalFlip{},
            TimmRandAugment{.count = 2, .magnitude = 7.0, .fill = {124.0, 116.0, 104.0}}}),
      1024, center_of(236, 224, ResizeFilter::bicubic)};
  soften(recipe.train, class_count, 0.0, Mix{.mixup_alpha = 0.1, .cutmix_alpha = 1.0, .partner = Partner::opposite});
  return recipe;
}

Recipe simclr() {
  constexpr std::array<double, 2> kFactors = {0.2, 1.8};
  Recipe recipe = {512,
                   with(BatchSpec::preset("unit"),
                        {RandomResizedCrop{.size = {224, 224}, .interpolation = ResizeFilter::bicubic},
                         HorizontalFlip{}, ColorJitter{kFactors, kFactors, kFactors, {-0.2, 0.2}, 0.8},
                         Grayscale{.probability = 0.2}, GaussianBlur{.kernel_size = 23, .probability = 0.5}}),
                   512, with(BatchSpec::preset("unit"), {Resize{.size = 224, .interpolation = ResizeFilter::bicubic}})};
  recipe.train.views = 2;
  return recipe;
}

}  // namespace

Recipe make_recipe(std::string_view name, std::int64_t class_count, std::int64_t epoch) {
  if (name == "airbench94") return cifar10_recipe(1024, {RandomCrop{.padding = 2}, AlternatingFlip{}}, class_count);
  if (name == "airbench96") {
    return cifar10_recipe(1024, {RandomCrop{.padding = 4}, AlternatingFlip{}, Cutout{.size = 12}}, class_count);
  }
  if (name == "hiverge") {
    return cifar10_recipe(1536,
                          {RandomCrop{.padding = 2}, AlternatingFlip{},
                           NormalizedJitter{.shift = {-0.1399, 0.1399}, .factor = {1.0 - 0.1308, 1.0 + 0.1308}}},
                          class_count);
  }
  if (name == "ffcv_rn18") return ffcv(1024, class_count, epoch);
  if (name == "ffcv_rn50") return ffcv(512, class_count, epoch);
  if (name == "torchvision_2") return torchvision_2(class_count);
  if (name == "timm_rsb_a2") return timm_rsb_a2(class_count);
  if (name == "simclr") return simclr();
  throw InvalidArgument("unknown recipe \"" + std::string(name) + "\"; expected " + either_of(names_of(kRecipes)));
}

}  // namespace octavo
