#include "format/statistics/sample_counter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace octavo::statistics {
namespace {

/// With a single table, equal neighboring values would have to wait for each other's increment.
constexpr std::size_t kTables = 4;
constexpr std::size_t kTableEntries = kTables * 256;

void count_values(const std::uint8_t* values, std::size_t value_count, std::uint32_t* tables) {
  std::size_t i = 0;
  for (; i + 8 <= value_count; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, values + i, 8);
    ++tables[0 * 256 + (word & 0xFF)];
    ++tables[1 * 256 + (word >> 8 & 0xFF)];
    ++tables[2 * 256 + (word >> 16 & 0xFF)];
    ++tables[3 * 256 + (word >> 24 & 0xFF)];
    ++tables[0 * 256 + (word >> 32 & 0xFF)];
    ++tables[1 * 256 + (word >> 40 & 0xFF)];
    ++tables[2 * 256 + (word >> 48 & 0xFF)];
    ++tables[3 * 256 + (word >> 56)];
  }
  for (; i < value_count; ++i) ++tables[values[i]];
}

/// Number of samples whose sums fit in 16 bits: 257 * 255 = 65535.
constexpr std::int64_t kNarrowSamples = 257;

void add_values(const std::uint8_t* __restrict values, std::size_t value_count, std::uint16_t* __restrict sums) {
  for (std::size_t i = 0; i < value_count; ++i) sums[i] = static_cast<std::uint16_t>(sums[i] + values[i]);
}

/// Number of samples that cannot overflow a 32-bit count (at most P per sample) or sum (at most 255 per sample).
std::int64_t pending_limit_of(const SampleShape& shape) {
  constexpr std::int64_t kLargest = 0xFFFF'FFFF;
  return std::min(kLargest / 255, kLargest / std::max<std::int64_t>(1, shape.values_per_channel()));
}

}  // namespace

SampleTotals::SampleTotals(const SampleShape& sample_shape)
    : shape(sample_shape),
      histogram(static_cast<std::size_t>(sample_shape.channels) * 256),
      value_sums(static_cast<std::size_t>(sample_shape.values())) {}

Statistics SampleTotals::statistics(const std::vector<ChannelQuantization>& quantization) const {
  Statistics result;
  result.quantization = quantization;
  result.histogram = histogram;
  for (std::size_t channel = 0; channel < quantization.size(); ++channel) {
    const std::int64_t* counts = histogram.data() + channel * 256;
    result.mean.push_back(mean_of_counts(counts, quantization[channel]));
    result.standard_deviation.push_back(standard_deviation_of_counts(counts, quantization[channel]));
  }
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  result.mean_image.resize(value_sums.size());
  for (std::size_t i = 0; i < value_sums.size(); ++i) {
    const ChannelQuantization& unit = quantization[i / plane];
    const double mean_value = static_cast<double>(value_sums[i]) / static_cast<double>(sample_count);
    result.mean_image[i] = static_cast<float>(std::fma(unit.scale, mean_value, unit.zero_point));
  }
  return result;
}

SampleCounter::SampleCounter(const SampleShape& shape)
    : totals_(shape),
      pending_limit_(pending_limit_of(shape)),
      counts_(static_cast<std::size_t>(shape.channels) * kTableEntries),
      narrow_sums_(static_cast<std::size_t>(shape.values())),
      sums_(static_cast<std::size_t>(shape.values())) {}

void SampleCounter::add(std::span<const std::uint8_t> values) {
  for (std::size_t at = 0; at < values.size(); at += sums_.size()) {
    if (pending_samples_ == pending_limit_) flush();
    add_sample(values.data() + at);
    ++pending_samples_;
  }
}

void SampleCounter::add_sample(const std::uint8_t* values) {
  add_values(values, narrow_sums_.size(), narrow_sums_.data());
  if (++narrow_samples_ == kNarrowSamples) widen_sums();
  const auto plane = static_cast<std::size_t>(totals_.shape.values_per_channel());
  for (std::size_t table = 0; table < counts_.size(); table += kTableEntries, values += plane) {
    count_values(values, plane, counts_.data() + table);
  }
}

void SampleCounter::widen_sums() {
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += narrow_sums_[i];
  std::fill(narrow_sums_.begin(), narrow_sums_.end(), std::uint16_t{0});
  narrow_samples_ = 0;
}

void SampleCounter::flush() {
  widen_sums();
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    totals_.histogram[i / kTableEntries * 256 + i % 256] += counts_[i];
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) totals_.value_sums[i] += sums_[i];
  totals_.sample_count += pending_samples_;
  std::fill(counts_.begin(), counts_.end(), 0);
  std::fill(sums_.begin(), sums_.end(), 0);
  pending_samples_ = 0;
}

void SampleCounter::move_into(SampleTotals& totals) {
  flush();
  for (std::size_t i = 0; i < totals.histogram.size(); ++i) totals.histogram[i] += totals_.histogram[i];
  for (std::size_t i = 0; i < totals.value_sums.size(); ++i) totals.value_sums[i] += totals_.value_sums[i];
  totals.sample_count += totals_.sample_count;
  totals_ = SampleTotals(totals_.shape);
}

}  // namespace octavo::statistics
