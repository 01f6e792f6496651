#include <octavo/statistics.hpp>

#include <algorithm>
#include <cmath>

namespace octavo {
namespace {

__extension__ typedef __int128 Int128;

/// Exact sums over values 0 ... 255, from their counts. A split has fewer than 2^53 values, so nothing overflows.
struct Moments {
  Int128 count = 0;
  Int128 sum = 0;
  Int128 sum_of_squares = 0;
};

void add_counts(Moments& moments, const std::int64_t* counts) {
  for (int value = 0; value < 256; ++value) {
    moments.count += counts[value];
    moments.sum += Int128{value} * counts[value];
    moments.sum_of_squares += Int128{value} * value * counts[value];
  }
}

double mean_of(const Moments& moments, ChannelQuantization quantization) {
  if (moments.count == 0) return 0.0;
  const double mean_value = static_cast<double>(moments.sum) / static_cast<double>(moments.count);
  return std::fma(quantization.scale, mean_value, quantization.zero_point);
}

/// sqrt(count * sum_of_squares - sum^2) / count: the population formula with a common denominator.
double standard_deviation_of(const Moments& moments, ChannelQuantization quantization) {
  if (moments.count == 0) return 0.0;
  const Int128 spread = moments.count * moments.sum_of_squares - moments.sum * moments.sum;
  const double deviation = std::sqrt(static_cast<double>(spread)) / static_cast<double>(moments.count);
  return std::abs(quantization.scale) * deviation;
}

bool channels_agree(const Statistics& statistics) {
  const auto& all = statistics.quantization;
  return std::all_of(all.begin(), all.end(), [&](const auto& one) { return one == all.front(); });
}

Moments pooled_moments(const Statistics& statistics) {
  Moments moments;
  for (std::size_t channel = 0; channel < statistics.quantization.size(); ++channel) {
    add_counts(moments, statistics.histogram.data() + channel * 256);
  }
  return moments;
}

double average(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace

double mean_of_counts(const std::int64_t* counts, ChannelQuantization quantization) {
  Moments moments;
  add_counts(moments, counts);
  return mean_of(moments, quantization);
}

double standard_deviation_of_counts(const std::int64_t* counts, ChannelQuantization quantization) {
  Moments moments;
  add_counts(moments, counts);
  return standard_deviation_of(moments, quantization);
}

double pooled_mean(const Statistics& statistics) {
  if (statistics.quantization.empty()) return 0.0;
  // Channels may have different units, so their integers cannot be added. They have equally many values, so the mean of
  // the means is the overall mean.
  if (!channels_agree(statistics)) return average(statistics.mean);
  return mean_of(pooled_moments(statistics), statistics.quantization.front());
}

double pooled_standard_deviation(const Statistics& statistics) {
  if (statistics.quantization.empty()) return 0.0;
  if (channels_agree(statistics)) {
    return standard_deviation_of(pooled_moments(statistics), statistics.quantization.front());
  }
  // The variance of a mixture: the mean of the variances and the variance of the means.
  const double center = average(statistics.mean);
  std::vector<double> parts;
  for (std::size_t channel = 0; channel < statistics.mean.size(); ++channel) {
    const double deviation = statistics.standard_deviation[channel];
    const double offset = statistics.mean[channel] - center;
    parts.push_back(deviation * deviation + offset * offset);
  }
  return std::sqrt(average(parts));
}

}  // namespace octavo
