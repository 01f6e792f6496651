#include "sharding/exact_totals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <octavo/errors.hpp>

#include "format/statistics/codes.hpp"
#include "support/file.hpp"

namespace octavo::sharding {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{8} << 20;

/// Whether rounding gives the sum that `mean` was computed from: scale * (sum / N) + zero point, as float32.
bool recover_sum(float mean, const ChannelQuantization& meaning, std::int64_t N, std::int64_t& sum) {
  const double samples = static_cast<double>(N);
  const double estimate = (static_cast<double>(mean) - meaning.zero_point) / meaning.scale * samples;
  // Half the distance to the next float32, and some of the double arithmetic.
  const double ulp = std::nextafter(std::abs(mean), std::numeric_limits<float>::infinity()) - std::abs(mean);
  const double magnitude = std::abs(static_cast<double>(mean)) + std::abs(meaning.zero_point);
  const double error =
      (0.5 * ulp + 4.0 * std::numeric_limits<double>::epsilon() * magnitude) / std::abs(meaning.scale) * samples;
  if (!(error < 0.25)) return false;
  sum = std::llround(estimate);
  return sum >= 0 && sum <= 255 * N;
}

/// False if the mean image is not precise enough.
bool recover_sums(const Statistics& found, statistics::SampleTotals& totals) {
  const std::int64_t values = totals.shape.values_per_channel();
  for (std::int64_t i = 0; i < totals.shape.values(); ++i) {
    const auto at = static_cast<std::size_t>(i), channel = static_cast<std::size_t>(i / values);
    const ChannelQuantization meaning =
        found.quantization.empty() ? ChannelQuantization() : found.quantization[channel];
    if (!recover_sum(found.mean_image[at], meaning, totals.sample_count, totals.value_sums[at])) return false;
  }
  return true;
}

/// The histogram has the sum of a channel, too.
bool sums_match_histogram(const statistics::SampleTotals& totals) {
  const std::int64_t values = totals.shape.values_per_channel();
  for (std::int64_t c = 0; c < totals.shape.channels; ++c) {
    std::int64_t of_image = 0, of_histogram = 0;
    for (std::int64_t i = c * values; i < (c + 1) * values; ++i)
      of_image += totals.value_sums[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < 256; ++k) of_histogram += k * totals.histogram[static_cast<std::size_t>(c * 256 + k)];
    if (of_image != of_histogram) return false;
  }
  return true;
}

statistics::SampleTotals counted_again(const Split& split) {
  const SampleShape shape = split.shape();
  statistics::SampleTotals totals(shape);
  statistics::SampleCounter counter(shape);
  const std::int64_t N = split.sample_count(), block = std::max<std::int64_t>(1, kBlockBytes / shape.values());
  std::vector<std::uint8_t> values;
  for (std::int64_t row = 0; row < N; row += block) {
    const std::int64_t count = std::min(block, N - row);
    values.resize(static_cast<std::size_t>(count * shape.values()));
    split.read(row, count, {reinterpret_cast<std::int8_t*>(values.data()), values.size()});
    statistics::flip_top_bits(values);
    counter.add(values);
  }
  counter.move_into(totals);
  return totals;
}

}  // namespace

statistics::SampleTotals exact_totals(const Split& split) {
  const Statistics found = split.statistics();
  statistics::SampleTotals totals(split.shape());
  totals.sample_count = split.sample_count();
  totals.histogram = found.histogram;
  if (recover_sums(found, totals) && sums_match_histogram(totals)) return totals;
  statistics::SampleTotals again = counted_again(split);
  if (again.histogram != found.histogram) {
    throw FormatError("count the samples of split " + split.name() + " of " + quoted(split.path()) +
                      ": its statistics are not those of its samples; pack the file again");
  }
  again.sample_count = split.sample_count();
  return again;
}

}  // namespace octavo::sharding
