// What a batch looks like: centering, scaling, type and layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <octavo/statistics.hpp>
#include <octavo/tensor.hpp>

namespace octavo {

/// What is subtracted from a value, in source units.
enum class Center {
  none,     ///< nothing
  dataset,  ///< one mean over all channels and samples
  channel,  ///< each channel's mean
  pixel,    ///< the mean image
  batch,    ///< one mean over all channels of the minibatch itself; not with several ranks
  values,   ///< BatchSpec::center_values
};

/// What the difference is divided by.
enum class Divisor {
  values,              ///< BatchSpec::divisor_values
  standard_deviation,  ///< each channel's with Center::channel, else one over all channels
};

/// How samples become batches: y = (x - center) / divisor, in one fused multiply-add per value with one rounding
/// (docs/numerics.md), then rounded to the output type.
struct BatchSpec {
  // What changes the numbers.
  Center center = Center::dataset;
  std::vector<double> center_values = {};  ///< 1 or C numbers, for Center::values
  Divisor divisor = Divisor::values;
  std::vector<double> divisor_values = {128.0};  ///< 1 or C numbers, not 0
  bool of_stored_values = false;                 ///< x is the stored uint8, not the source's unit
  std::optional<Statistics> statistics = {};     ///< in place of those of the file
  // What changes only their form.
  DType dtype = DType::float32;  ///< float32, float16 or bfloat16
  Layout layout = Layout::nchw;

  /// The presets: "default" (dataset mean, 128), "unit" (u8 / 255), "standard" (channel mean and standard deviation),
  /// "imagenet" (the usual RGB constants on u8). Throws InvalidArgument, listing them, for another name.
  static BatchSpec preset(std::string_view name);
};

/// "(x - dataset mean) / 128", for people.
std::string describe(const BatchSpec& spec);

}  // namespace octavo
