#include "arrays/quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace octavo::arrays {
namespace {

// Rounding errors are summed as integer multiples of this fraction of a step, so that the order does not matter.
constexpr double kRoundingUnit = 1 << 20;
constexpr std::size_t kMostWorstSamples = 8;

/// The rows with the largest sums of squares, which are over `values` numbers each.
std::vector<QuantizationNotes::WorstSample> worst_samples(const std::vector<double>& squares, std::int64_t values) {
  std::vector<std::size_t> rows(squares.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(kMostWorstSamples, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::size_t a, std::size_t b) {
    return squares[a] != squares[b] ? squares[a] > squares[b] : a < b;
  });
  std::vector<QuantizationNotes::WorstSample> worst;
  for (auto row = rows.begin(); row != end && squares[*row] > 0.0; ++row) {
    worst.push_back({static_cast<std::int64_t>(*row), std::sqrt(squares[*row] / static_cast<double>(values))});
  }
  return worst;
}

}  // namespace

Quantizer::Sample::Sample(const Quantizer& quantizer) : level_use_(quantizer.quantization_.size()) {
  for (const ChannelQuantization& map : quantizer.quantization_) channels_.push_back({.map = map});
  const Element element = quantizer.element_;
  if (element == Element::int16) first_level_ = INT16_MIN;
  // One table serves all channels only if they share the quantization.
  const auto& maps = quantizer.quantization_;
  is_uniform_ = std::ranges::adjacent_find(maps, std::ranges::not_equal_to{}) == maps.end();
  if (is_uniform_ && (element == Element::int16 || element == Element::uint16)) {
    levels_ = std::make_unique<std::bitset<65536>>();
  }
}

Quantizer::Sample::Sample(const Quantizer& quantizer, const ChannelQuantization& map) : Sample(quantizer) {
  for (Channel& channel : channels_) channel.map = map;
  is_uniform_ = true;
  has_own_map_ = true;
  levels_.reset();
}

std::uint8_t Quantizer::Sample::quantize(std::size_t at, double number) {
  Channel& channel = channels_[std::min(at, channels_.size() - 1)];
  const ChannelQuantization& map = channel.map;
  const double exact = (number - map.zero_point) / map.scale;
  const double rounded = std::rint(exact);
  const double value = std::clamp(rounded, 0.0, 255.0);
  channel.largest_error = std::max(channel.largest_error, std::abs(map.scale * value + map.zero_point - number));
  channel.rounding_sum += std::llround(std::abs(rounded - exact) * kRoundingUnit);
  channel.squared_steps += (exact - value) * (exact - value);
  channel.clipped += value != rounded ? 1 : 0;
  ++channel.count;
  channel.smallest = std::min(channel.smallest, number);
  channel.largest = std::max(channel.largest, number);
  const auto level = static_cast<std::uint8_t>(value);
  level_use_.add(at, level, exact, has_own_map_ ? exact : number);
  if (levels_) levels_->set(static_cast<std::size_t>(static_cast<std::int64_t>(number) - first_level_));
  return level;
}

Quantizer::Quantizer(std::vector<ChannelQuantization> quantization, Element element, std::int64_t sample_count)
    : quantization_(std::move(quantization)),
      element_(element),
      totals_(quantization_.size()),
      level_use_(quantization_.size()),
      squared_steps_(static_cast<std::size_t>(sample_count)) {}

void Quantizer::Total::include_range(const ChannelQuantization& map) {
  low = std::min(low, map.zero_point);
  high = std::max(high, map.zero_point + 255.0 * map.scale);
}

double Quantizer::Total::mean_rounding() const {
  double sum = 0.0;
  for (const auto& [scale, rounding] : rounding_sums) sum += static_cast<double>(rounding) / kRoundingUnit * scale;
  return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

void Quantizer::add(std::int64_t row, const Sample& sample) {
  const std::lock_guard lock(mutex_);
  ++samples_;
  for (std::size_t c = 0; c < sample.channels_.size(); ++c) {
    const Sample::Channel& channel = sample.channels_[c];
    Total& total = totals_[c];
    total.include_range(channel.map);
    total.largest_error = std::max(total.largest_error, channel.largest_error);
    total.rounding_sums[channel.map.scale] += channel.rounding_sum;
    total.clipped += channel.clipped;
    total.count += channel.count;
    total.smallest = std::min(total.smallest, channel.smallest);
    total.largest = std::max(total.largest, channel.largest);
    squared_steps_[static_cast<std::size_t>(row)] += channel.squared_steps;
  }
  level_use_.add(sample.level_use_);
  if (!sample.levels_) return;
  if (!levels_) levels_ = std::make_unique<std::bitset<65536>>();
  *levels_ |= *sample.levels_;
}

QuantizationNotes Quantizer::notes(const std::string& split) const {
  const std::lock_guard lock(mutex_);
  QuantizationNotes notes{split, name_of(element_), {}};
  notes.samples = samples_;
  std::int64_t count = 0;
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    Total total = totals_[c];
    if (samples_ == 0) total.include_range(quantization_[c]);
    notes.channels.push_back({.low = total.low,
                              .high = total.high,
                              .largest_error = total.largest_error,
                              .mean_rounding = total.mean_rounding(),
                              .clipped = total.clipped});
    if (total.count > 0) {
      notes.channels.back().smallest = total.smallest;
      notes.channels.back().largest = total.largest;
    }
    if (const auto use = level_use_.use_of(c)) {
      notes.channels.back().levels = use->levels;
      notes.channels.back().effective_bits = use->effective_bits;
    }
    count += total.count;
  }
  const double squares = std::accumulate(squared_steps_.begin(), squared_steps_.end(), 0.0);
  if (samples_ > 0) notes.worst = worst_samples(squared_steps_, std::max<std::int64_t>(1, count / samples_));
  if (squares > 0.0) notes.psnr_db = 10.0 * std::log10(255.0 * 255.0 * static_cast<double>(count) / squares);
  if (samples_ > 0) notes.level_use = level_use_.least_use();
  if (!levels_) return notes;
  std::bitset<256> kept;
  Sample again(*this);
  for (std::size_t level = 0; level < levels_->size(); ++level) {
    if (!levels_->test(level)) continue;
    kept.set(again.quantize(0, static_cast<double>(static_cast<std::int64_t>(level) + again.first_level_)));
  }
  notes.levels = {static_cast<std::int64_t>(levels_->count()), static_cast<std::int64_t>(kept.count())};
  return notes;
}

}  // namespace octavo::arrays
