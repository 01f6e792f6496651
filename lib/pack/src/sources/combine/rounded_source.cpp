#include "sources/combine/rounded_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace octavo::sources {
namespace {

/// The loss of values that are exact so far.
QuantizationNotes no_loss(const SourceSplit& split) {
  QuantizationNotes notes{.split = split.name, .from = split.source_dtype, .channels = {}};
  for (std::size_t c = 0; c < static_cast<std::size_t>(split.shape.channels); ++c) {
    const ChannelQuantization quantization = split.quantization.empty() ? ChannelQuantization() : split.quantization[c];
    notes.channels.push_back(
        {.low = quantization.zero_point, .high = quantization.zero_point + 255.0 * quantization.scale});
  }
  return notes;
}

}  // namespace

RoundedSource::RoundedSource(Source& source, const std::vector<int>& max_errors)
    : source_(source), splits_(source.splits()), sample_counts_(splits_.size()) {
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    splits_[split].max_error = max_errors[split];
    counts_.emplace_back(static_cast<std::size_t>(splits_[split].shape.channels));
  }
}

std::vector<SampleFailure> RoundedSource::read(std::size_t split, std::int64_t first_row, std::int64_t count,
                                               std::span<std::uint8_t> values, std::span<std::byte> labels) {
  std::vector<SampleFailure> failures = source_.read(split, first_row, count, values, labels);
  if (splits_[split].max_error == 0) return failures;
  const auto row_values = static_cast<std::size_t>(splits_[split].shape.values());
  std::vector<ErrorCounts> counts(counts_[split].size());
  auto failure = failures.begin();
  for (std::int64_t row = first_row; row < first_row + count; ++row) {
    if (failure != failures.end() && failure->row == row) {
      ++failure;
      continue;
    }
    round(split, values.subspan(static_cast<std::size_t>(row - first_row) * row_values, row_values), counts);
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    for (std::size_t error = 0; error < counts[c].size(); ++error) counts_[split][c][error] += counts[c][error];
  }
  sample_counts_[split] += count - std::ssize(failures);
  return failures;
}

void RoundedSource::round(std::size_t split, std::span<std::uint8_t> sample, std::vector<ErrorCounts>& counts) const {
  const int max_error = splits_[split].max_error, step = value_step(max_error);
  const auto pixels = static_cast<std::size_t>(splits_[split].shape.values_per_channel());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    for (std::uint8_t& value : sample.subspan(c * pixels, pixels)) {
      const int rounded = (value + max_error) / step * step;
      ++counts[c][static_cast<std::size_t>(std::abs(rounded - value))];
      value = static_cast<std::uint8_t>(rounded);
    }
  }
}

double RoundedSource::add_errors(std::size_t split, QuantizationNotes& loss) const {
  const SourceSplit& layout = splits_[split];
  const double all =
      static_cast<double>(sample_counts_[split]) * static_cast<double>(layout.shape.values_per_channel());
  const double known_share = static_cast<double>(loss.samples) / static_cast<double>(sample_counts_[split]);
  double squares = 0.0;
  for (std::size_t c = 0; c < std::min(loss.channels.size(), counts_[split].size()); ++c) {
    const double scale = layout.quantization.empty() ? 1.0 : layout.quantization[c].scale;
    ChannelLoss& channel = loss.channels[c];
    channel.mean_rounding *= std::min(1.0, known_share);
    double largest = 0.0;
    for (std::size_t error = 1; error < counts_[split][c].size(); ++error) {
      const auto count = static_cast<double>(counts_[split][c][error]), size = static_cast<double>(error);
      if (count > 0) largest = size;
      squares += count * size * size;
      channel.mean_rounding += scale * size * count / all;
    }
    channel.largest_error += scale * largest;
    channel.levels.reset();
    channel.effective_bits.reset();
  }
  return squares / (all * static_cast<double>(counts_[split].size()));
}

void RoundedSource::add_loss(std::size_t split, SourceNotes& notes) const {
  const auto known = std::ranges::find(notes.quantized, splits_[split].name, &QuantizationNotes::split);
  QuantizationNotes loss = known != notes.quantized.end() ? *known : no_loss(splits_[split]);
  const bool was_exact =
      std::ranges::all_of(loss.channels, [](const ChannelLoss& channel) { return channel.largest_error == 0.0; });
  const double mean_square = add_errors(split, loss);
  if (mean_square == 0.0) return;  // all values were multiples
  // The squares of two losses do not add up, and levels were counted before.
  loss.psnr_db = was_exact ? std::optional(10.0 * std::log10(255.0 * 255.0 / mean_square)) : std::nullopt;
  loss.levels.reset();
  loss.level_use.reset();
  loss.worst.clear();
  loss.max_error = splits_[split].max_error;
  loss.samples = sample_counts_[split];
  loss.is_recorded = false;
  if (known != notes.quantized.end())
    *known = std::move(loss);
  else
    notes.quantized.push_back(std::move(loss));
}

SourceNotes RoundedSource::notes() const {
  SourceNotes notes = source_.notes();
  for (std::size_t split = 0; split < splits_.size(); ++split) {
    if (splits_[split].max_error > 0 && sample_counts_[split] > 0) add_loss(split, notes);
  }
  return notes;
}

}  // namespace octavo::sources
