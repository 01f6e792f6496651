// A look at every sample of a split: classes, brightness, blank images.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <octavo/dataset.hpp>
#include <octavo/progress.hpp>

namespace octavo {

/// The brightness of a sample.
struct SampleBrightness {
  std::int64_t row = 0;
  double mean = 0.0;  ///< over all its values, 0 to 255
};

/// What survey_content() found.
struct SplitContent {
  static constexpr std::size_t kBins = 32;

  std::map<std::int32_t, std::int64_t> class_counts;  ///< as count_classes() returns
  std::array<std::int64_t, kBins> brightness = {};    ///< samples by brightness, in bins of 256 / kBins levels
  std::int64_t blank_count = 0;                       ///< samples with a single value in each channel
  std::vector<std::int64_t> first_blank;              ///< rows, at most 8
  std::vector<SampleBrightness> darkest, brightest;   ///< at most 8 each, without blank samples
};

/// Reads and checks all samples of the split, on all threads; uses 12 bytes of memory per sample. Throws FormatError if
/// a sample is damaged; IoError if the file cannot be read.
SplitContent survey_content(const Split& split, const ProgressFunction& on_progress = {});

/// Chooses up to `count` rows of each class, spread evenly over the rows of the class; for splits without class labels,
/// rows of the whole split under the key 0. Throws IoError if the labels cannot be read.
std::map<std::int32_t, std::vector<std::int64_t>> example_rows(const Split& split, std::int64_t count);

}  // namespace octavo
