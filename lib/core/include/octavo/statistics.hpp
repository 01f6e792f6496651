// Exact statistics of a split, in source units, and the integer counts they are computed from.
#pragma once

#include <cstdint>
#include <vector>

namespace octavo {

/// Maps the codes of one channel to source units: source = scale * (code + 128) + zero_point.
struct ChannelQuantization {
  double scale = 1.0;
  double zero_point = 0.0;
  bool operator==(const ChannelQuantization&) const = default;
};

/// Statistics of all samples of a split. `mean` and `standard_deviation` follow exactly from `quantization` and
/// `histogram`.
struct Statistics {
  std::vector<ChannelQuantization> quantization;  ///< [C]
  std::vector<std::int64_t> histogram;            ///< [C,256]: number of times code k - 128 occurs in channel c
  std::vector<double> mean;                       ///< [C], source units
  std::vector<double> standard_deviation;         ///< [C], population, source units
  std::vector<float> mean_image;                  ///< [C,H,W], source units
};

/// Mean of one channel from its 256 counts: an exact integer sum and one division. Zero for an empty histogram.
double mean_of_counts(const std::int64_t* counts, ChannelQuantization quantization);

/// Population standard deviation of one channel from its 256 counts: exact 128-bit integers and one square root.
double standard_deviation_of_counts(const std::int64_t* counts, ChannelQuantization quantization);

/// Mean over all channels, as used by Center::dataset.
double pooled_mean(const Statistics& statistics);

/// Population standard deviation over all channels.
double pooled_standard_deviation(const Statistics& statistics);

}  // namespace octavo
