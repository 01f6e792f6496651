// The data side of recipes that are used to train image models. octavo.recipes in Python says what each original does,
// and where these differ.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <octavo/batch_spec.hpp>

namespace octavo {

struct RecipeInfo {
  const char* name;
  const char* help;
};
inline constexpr std::array<RecipeInfo, 8> kRecipes = {{
    {"airbench94", "94 % on CIFAR-10 (K. Jordan, 2024)"},
    {"airbench96", "96 % on CIFAR-10 (K. Jordan, 2024)"},
    {"hiverge", "94 % on CIFAR-10 in 1.99 seconds (2025)"},
    {"ffcv_rn18", "ResNet-18 on ImageNet (ffcv-imagenet, 2022)"},
    {"ffcv_rn50", "ResNet-50 on ImageNet (ffcv-imagenet, 2022)"},
    {"torchvision_2", "ResNet-50 on ImageNet (torchvision, 2021)"},
    {"timm_rsb_a2", "ResNet-50 on ImageNet (\"ResNet strikes back\", 2021)"},
    {"simclr", "two views for contrastive learning (T. Chen et al., 2020)"},
}};

/// Batches for training and for evaluation.
struct Recipe {
  std::int64_t batch_size = 0;
  BatchSpec train;
  std::int64_t evaluation_batch_size = 0;
  BatchSpec evaluation;
  std::vector<double> view_weights = {};  ///< of the predictions for the views of `evaluation`, if there are several
};

/// The recipe with this name, for `class_count` classes; 0: labels stay class numbers, and samples are not mixed. The
/// image size of the recipes of FFCV grows with `epoch` of 16. Throws InvalidArgument, listing the names, if there is
/// no such recipe.
Recipe make_recipe(std::string_view name, std::int64_t class_count = 0, std::int64_t epoch = 0);

}  // namespace octavo
