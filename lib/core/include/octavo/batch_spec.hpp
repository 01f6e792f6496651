// Defines the values of a batch: centering, scaling, type and layout.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/augment.hpp>
#include <octavo/statistics.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// What is subtracted from a value, in source units.
enum class Center {
  none,     ///< nothing
  dataset,  ///< one mean over all channels and samples
  channel,  ///< each channel's mean
  pixel,    ///< the mean image
  batch,    ///< one mean over all channels of the batch itself; not with several ranks
  values,   ///< BatchSpec::center_values
};

/// What the difference is divided by.
enum class Divisor {
  values,              ///< BatchSpec::divisor_values
  standard_deviation,  ///< each channel's own with Center::channel, else one over all channels
};

/// A normalization with a name. The command line and Python list this table.
struct PresetInfo {
  const char* name;
  const char* help;
};
inline constexpr std::array<PresetInfo, 4> kPresets = {{
    {"default", "subtract the dataset mean, divide by 128"},
    {"unit", "map 0 ... 255 to 0 ... 1"},
    {"standard", "mean and standard deviation of each channel"},
    {"imagenet", "the usual RGB constants"},
}};

/// How samples are normalized: y = (x - center) / divisor, computed with one fused multiply-add and one rounding per
/// value (docs/numerics.md), then rounded to the output type.
struct BatchSpec {
  // These change the values.
  Center center = Center::dataset;
  std::vector<double> center_values = {};  ///< 1 or C numbers, for Center::values
  Divisor divisor = Divisor::values;
  std::vector<double> divisor_values = {128.0};  ///< 1 or C numbers, not 0
  bool of_stored_values = false;                 ///< x is the stored uint8 instead of the value in source units
  std::optional<Statistics> statistics = {};     ///< replaces the file's statistics
  /// Applied to each image, before its normalization unless stated. Not with Center::pixel or Center::batch.
  augment::Operations augment = {};
  std::uint64_t augment_seed = 0;        ///< of the random numbers of `augment`; the order has a seed of its own
  std::int64_t views = 1;                ///< images per sample, each augmented on its own; 1 to 256
  std::optional<augment::Mix> mix = {};  ///< needs one view, and soft_classes unless labels become pairs
  /// More than 0: labels, which are class numbers below it, become probabilities: float32 [B, soft_classes].
  std::int64_t soft_classes = 0;
  double label_smoothing = 0.0;  ///< the share of a probability of 1 that all classes get; needs soft_classes
  bool with_masks = true;        ///< make masks, if the store has any; samples with masks cannot be mixed
  /// In masks, the value of pixels from beyond the edge of an image, such as the padding of a crop.
  std::int64_t ignored_mask_value = 255;
  // These change only the representation.
  DType mask_dtype = DType::uint8;  ///< of masks: uint8 or int64
  DType dtype = DType::float32;     ///< float32, float16 or bfloat16
  Layout layout = Layout::nchw;

  /// The preset with this name. "unit" and "imagenet" are of stored values. Throws InvalidArgument if kPresets has no
  /// such name.
  static BatchSpec preset(std::string_view name);
};

/// Whether batches have augmented images or labels.
inline bool is_augmented(const BatchSpec& spec) {
  return !spec.augment.empty() || spec.views != 1 || spec.mix || spec.soft_classes > 0;
}

/// Describes the normalization in readable form, such as "(x - dataset mean) / 128".
std::string describe(const BatchSpec& spec);

}  // namespace octavo
