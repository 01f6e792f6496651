#include "packing/loss.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <octavo/byte_count.hpp>
#include <octavo/errors.hpp>

#include "support/text_units.hpp"

namespace octavo::packing {
namespace {

/// The splits that share a loss: those that a holdout made of one split, which are adjacent.
struct SharedLoss {
  std::string names;  ///< "train, val"
  std::int64_t sample_count = 0;
  const QuantizationNotes* quantized = nullptr;
};

std::vector<SharedLoss> shared_losses(const SourceNotes& found, const Source& source) {
  std::vector<SharedLoss> losses;
  for (const QuantizationNotes& quantized : found.quantized) {
    if (quantized.samples == 0) continue;
    const auto& splits = source.splits();
    const auto split = std::ranges::find(splits, quantized.split, &SourceSplit::name);
    const std::int64_t sample_count = split == splits.end() ? 0 : split->sample_count;
    const bool is_part = !quantized.source_split.empty() && !losses.empty() &&
                         losses.back().quantized->source_split == quantized.source_split;
    if (!is_part) losses.push_back({"", 0, &quantized});
    losses.back().names += (is_part ? ", " : "") + quantized.split;
    losses.back().sample_count += sample_count;
  }
  return losses;
}

/// The sum of the clipped numbers, and the extremes of the rest.
ChannelLoss over_channels(const QuantizationNotes& quantized) {
  ChannelLoss all = quantized.channels.at(0);
  all.clipped = 0;
  for (const ChannelLoss& channel : quantized.channels) {
    all.low = std::min(all.low, channel.low);
    all.high = std::max(all.high, channel.high);
    all.largest_error = std::max(all.largest_error, channel.largest_error);
    all.clipped += channel.clipped;
  }
  return all;
}

std::string values_text(const QuantizationNotes& quantized, const ChannelLoss& loss) {
  return quantized.from + formatted(" values from %.6g to %.6g", loss.low, loss.high);
}

/// " (1,331 different values; 17 of 256 levels used, 1.2 effective bits, error 44 % of the standard deviation, largest
/// error 8)".
std::string loss_text(const QuantizationNotes& quantized, const ChannelLoss& loss) {
  std::string text = " (";
  if (quantized.levels) text += format_count(quantized.levels->before) + " different values; ";
  if (quantized.level_use) text += describe(*quantized.level_use) + ", ";
  return text + formatted("largest error %.3g)", loss.largest_error);
}

std::string range_option(const LevelUse& use) {
  return use.better_percentile ? formatted("`range=percentile:%g`", *use.better_percentile) : "`range`";
}

std::string way_to_keep_more(const QuantizationNotes& quantized) {
  return quantized.takes_range ? "give the range of most values with " + range_option(*quantized.level_use)
                               : "`range` does not apply to images of several types, so convert all to one type";
}

/// Nothing if the bytes hold the values exactly.
std::optional<std::string> loss_note(const SharedLoss& shared) {
  const QuantizationNotes& quantized = *shared.quantized;
  const ChannelLoss loss = over_channels(quantized);
  if (loss.largest_error == 0.0) return std::nullopt;
  std::string text = shared.names + ": ";
  if (quantized.samples < shared.sample_count) text += "in " + counted(quantized.samples, "sample") + ", ";
  text += values_text(quantized, loss) + " became 8-bit" + loss_text(quantized, loss);
  if (loss.clipped > 0) {
    text += "; " + counted(loss.clipped, "value") + (loss.clipped == 1 ? " outside was" : " outside were") + " clipped";
  }
  if (quantized.level_use && quantized.level_use->better_percentile) {
    text += "; " + range_option(*quantized.level_use) + " keeps more";
  }
  return text;
}

}  // namespace

std::vector<std::string> loss_notes(const SourceNotes& found, const Source& source) {
  std::vector<std::string> notes;
  for (const SharedLoss& shared : shared_losses(found, source)) {
    if (auto note = loss_note(shared)) notes.push_back(std::move(*note));
  }
  return notes;
}

void check_loss(const SourceNotes& found, const Source& source) {
  for (const SharedLoss& shared : shared_losses(found, source)) {
    const QuantizationNotes& quantized = *shared.quantized;
    if (!quantized.level_use || !quantized.level_use->is_coarse) continue;
    const ChannelLoss loss = over_channels(quantized);
    throw DataError("quantize " + shared.names + ": most " + values_text(quantized, loss) +
                    " would share fewer than 16 levels" + loss_text(quantized, loss) + "; " +
                    way_to_keep_more(quantized) + ", or accept the loss with `allow_loss`");
  }
}

}  // namespace octavo::packing
