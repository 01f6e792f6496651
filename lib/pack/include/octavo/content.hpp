// What is in the samples of a split: classes, brightness, blank images.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <octavo/dataset.hpp>

namespace octavo {

/// The brightness of a sample.
struct SampleBrightness {
  std::int64_t row = 0;
  double mean = 0.0;  ///< over all its values, 0 to 255
};

/// How a figure of the samples is distributed.
struct Spread {
  double mean = 0.0;
  double standard_deviation = 0.0;  ///< between samples
};

/// The content of a split, as examine() surveys it.
struct SplitContent {
  static constexpr std::size_t kBins = 32;
  /// Samples are faint if the values of each channel differ by at most this much.
  static constexpr int kFaintRange = 4;

  std::map<std::int32_t, std::int64_t> class_counts;  ///< as count_classes() returns
  std::array<std::int64_t, kBins> brightness = {};    ///< samples by brightness, in bins of 256 / kBins levels
  std::int64_t blank_count = 0;                       ///< samples with a single value in each channel
  std::int64_t faint_count = 0;                       ///< other samples with a range of at most kFaintRange
  std::vector<std::int64_t> first_blank;              ///< rows of blank and faint samples; as many as asked for
  std::int64_t truncated_count = 0;                   ///< samples that look truncated
  std::vector<std::int64_t> first_truncated;          ///< rows, as many as asked for
  std::vector<SampleBrightness> darkest, brightest;   ///< at most 8 each, without blank samples
  /// Samples with a brightness outside Tukey's outer fences: 3 interquartile ranges beyond a quartile.
  std::int64_t far_brightness_count = 0;
  std::vector<SampleBrightness> first_far_brightness;  ///< as many as asked for
  std::vector<Spread> means;                           ///< [C], of the samples' means, 0 to 255
  std::vector<Spread> contrasts;                       ///< [C], of the samples' standard deviations
};

/// Chooses up to `count` rows of each class, spread evenly over the rows of the class; for splits without class labels,
/// rows of the whole split under the key 0. Throws IoError if the labels cannot be read.
std::map<std::int32_t, std::vector<std::int64_t>> example_rows(const Split& split, std::int64_t count);

}  // namespace octavo
