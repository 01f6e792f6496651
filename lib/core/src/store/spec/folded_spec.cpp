#include "store/spec/folded_spec.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>
#include <octavo/tensor.hpp>
#include <octavo/text.hpp>

namespace octavo::store {
namespace {

using kernels::Affine;
using kernels::Quantization;

/// Views are numbered in 8 bits of the counter of random numbers.
constexpr std::int64_t kMostViews = 256;

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("prepare batches: " + why); }

/// Expands 1 or C given numbers to one per channel.
std::vector<double> per_channel(const std::vector<double>& given, std::size_t channel_count, const char* what) {
  if (given.size() == channel_count) return given;
  if (given.size() == 1) return std::vector<double>(channel_count, given[0]);
  refuse(std::to_string(given.size()) + " " + what + " for " + std::to_string(channel_count) +
         " channels; give one number, or one per channel");
}

/// The quantization of the samples in the unit of the spec. Levels are those of the statistics: samples with another
/// range are converted, so that a number means the same in all splits.
std::vector<Quantization> quantization_in_unit(const BatchSpec& spec, const std::vector<ChannelQuantization>& samples,
                                               const std::vector<ChannelQuantization>& statistics) {
  std::vector<Quantization> quantization;
  for (std::size_t c = 0; c < samples.size(); ++c) {
    const ChannelQuantization& own = samples[c];
    const ChannelQuantization unit = spec.of_stored_values ? statistics[c] : ChannelQuantization{};
    // If both are equal, this is exactly 1 and 0.
    quantization.push_back({own.scale / unit.scale, (own.zero_point - unit.zero_point) / unit.scale});
  }
  return quantization;
}

/// Converts a number from source units to the unit of the spec.
double in_unit(const BatchSpec& spec, const ChannelQuantization& channel, double source_value) {
  return spec.of_stored_values ? (source_value - channel.zero_point) / channel.scale : source_value;
}

/// Converts statistics to the unit of the spec. For stored values, the quantization becomes the identity.
Statistics in_unit(const BatchSpec& spec, Statistics statistics) {
  if (!spec.of_stored_values) return statistics;
  const std::size_t values_per_channel = statistics.mean_image.size() / statistics.quantization.size();
  for (std::size_t c = 0; c < statistics.quantization.size(); ++c) {
    const ChannelQuantization channel = statistics.quantization[c];
    statistics.mean[c] = in_unit(spec, channel, statistics.mean[c]);
    statistics.standard_deviation[c] /= std::abs(channel.scale);
    for (std::size_t p = 0; p < values_per_channel; ++p) {
      float& value = statistics.mean_image[c * values_per_channel + p];
      value = static_cast<float>(in_unit(spec, channel, value));
    }
    statistics.quantization[c] = {};
  }
  return statistics;
}

std::vector<double> divisors_of(const BatchSpec& spec, const Statistics& statistics, std::size_t channel_count) {
  if (spec.divisor == Divisor::values) return per_channel(spec.divisor_values, channel_count, "divisors");
  if (spec.center == Center::channel) return statistics.standard_deviation;
  return std::vector<double>(channel_count, pooled_standard_deviation(statistics));
}

/// The center of each channel; zero for kinds of center without a number per channel.
std::vector<double> centers_of(const BatchSpec& spec, const Statistics& statistics, std::size_t channel_count) {
  switch (spec.center) {
    case Center::dataset:
      return std::vector<double>(channel_count, pooled_mean(statistics));
    case Center::channel:
      return statistics.mean;
    case Center::values:
      return per_channel(spec.center_values, channel_count, "centers");
    case Center::none:
    case Center::pixel:
    case Center::batch:
      break;
  }
  return std::vector<double>(channel_count, 0.0);
}

void check_divisors(const std::vector<double>& divisors) {
  for (std::size_t c = 0; c < divisors.size(); ++c) {
    if (divisors[c] == 0.0) {
      refuse("the divisor of channel " + std::to_string(c) +
             " is 0 (the standard deviation of a constant channel is 0); give a divisor");
    }
  }
}

/// Checks that every value that the maps can produce is finite.
void check_maps(const FoldedSpec& folded) {
  const auto finite = [](float scale, float shift) {
    return std::isfinite(128.0f * std::abs(scale) + std::abs(shift));
  };
  bool all = std::all_of(folded.maps.begin(), folded.maps.end(),
                         [&](const Affine& map) { return finite(map.scale, map.shift); });
  all = all && std::all_of(folded.pixel_shifts.begin(), folded.pixel_shifts.end(),
                           [&](float shift) { return finite(0.0f, shift); });
  if (!all) refuse("the center or divisor produces values that are not finite; give other numbers");
}

bool all_equal(const std::vector<Affine>& maps) {
  return std::all_of(maps.begin(), maps.end(), [&](const Affine& map) {
    return map.scale == maps[0].scale && map.shift == maps[0].shift &&
           std::signbit(map.shift) == std::signbit(maps[0].shift);
  });
}

std::vector<float> pixel_shifts_of(const FoldedSpec& folded, const Statistics& statistics, const SampleShape& shape,
                                   Layout layout) {
  std::vector<float> shifts(static_cast<std::size_t>(shape.values()));
  if (statistics.mean_image.size() != shifts.size())
    refuse("the statistics have no mean image of this shape; choose another center");
  const auto C = static_cast<std::size_t>(shape.channels), P = static_cast<std::size_t>(shape.values_per_channel());
  for (std::size_t c = 0; c < C; ++c) {
    for (std::size_t p = 0; p < P; ++p) {
      shifts[layout == Layout::nchw ? c * P + p : p * C + c] =
          kernels::fold(folded.quantization[c], statistics.mean_image[c * P + p], folded.divisors[c]).shift;
    }
  }
  return shifts;
}

/// Statistics of samples of another number of channels, such as those of RGB photos for a gray one.
[[noreturn]] void refuse_channels(std::size_t of_statistics, std::size_t of_samples) {
  const auto channels = [](std::size_t count) { return counted(static_cast<std::int64_t>(count), "channel"); };
  std::string remedy = "give statistics of such samples";
  if (of_statistics == 1 || of_statistics == 3) {  // what packing can make
    remedy = "pack these with `channels=" + std::to_string(of_statistics) + "`, or " + remedy;
  }
  refuse("the statistics are of samples with " + channels(of_statistics) + ", but these have " + channels(of_samples) +
         "; " + remedy);
}

void check_statistics(const Statistics& statistics, std::size_t channel_count) {
  if (statistics.mean.size() != channel_count) refuse_channels(statistics.mean.size(), channel_count);
  if (statistics.quantization.size() != channel_count || statistics.standard_deviation.size() != channel_count ||
      statistics.histogram.size() != 256 * channel_count) {
    refuse("the statistics are incomplete for " + counted(static_cast<std::int64_t>(channel_count), "channel") +
           "; give those of a split");
  }
}

void check_augmentation(const BatchSpec& spec) {
  if (spec.views < 1 || spec.views > kMostViews) {
    refuse(std::to_string(spec.views) + " views; choose 1 to " + std::to_string(kMostViews));
  }
  if (!is_augmented(spec)) return;
  if (spec.center == Center::pixel) {
    refuse("augmentation moves pixels, but the mean image stays; use `center=channel` or `center=dataset`");
  }
  if (spec.center == Center::batch) {
    refuse("the mean of a batch is that of its samples before augmentation; use `center=channel` or `center=dataset`");
  }
}

}  // namespace

FoldedSpec fold_spec(const BatchSpec& spec, const Statistics& file_statistics,
                     const std::vector<ChannelQuantization>& quantization, const SampleShape& shape) {
  if (!info_of(spec.dtype).for_images) {
    refuse(std::string("images cannot be ") + to_string(spec.dtype) + "; choose " + either_of(image_type_names()));
  }
  check_augmentation(spec);
  const auto channel_count = static_cast<std::size_t>(shape.channels);
  const Statistics& given = spec.statistics ? *spec.statistics : file_statistics;
  check_statistics(given, channel_count);
  if (quantization.size() != channel_count) refuse("the samples' number of channels is not that of their quantization");
  const Statistics statistics = in_unit(spec, given);

  FoldedSpec folded;
  folded.quantization = quantization_in_unit(spec, quantization, given.quantization);
  folded.divisors = divisors_of(spec, statistics, channel_count);
  check_divisors(folded.divisors);
  folded.center_on_batch = spec.center == Center::batch;
  const std::vector<double> centers = centers_of(spec, statistics, channel_count);
  for (std::size_t c = 0; c < channel_count; ++c) {
    folded.maps.push_back(kernels::fold(folded.quantization[c], centers[c], folded.divisors[c]));
  }
  if (spec.center == Center::pixel) folded.pixel_shifts = pixel_shifts_of(folded, statistics, shape, spec.layout);
  check_maps(folded);
  if (!folded.center_on_batch && all_equal(folded.maps)) folded.maps.resize(1);
  return folded;
}

}  // namespace octavo::store
