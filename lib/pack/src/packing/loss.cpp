#include "packing/loss.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <octavo/byte_count.hpp>
#include <octavo/compression.hpp>
#include <octavo/errors.hpp>

#include "sources/channel_losses.hpp"
#include "support/text/text_units.hpp"

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
    if (quantized.samples == 0 || quantized.is_recorded) continue;
    const auto& splits = source.splits();
    const auto split = std::ranges::find(splits, quantized.split, &SourceSplit::name);
    const std::int64_t sample_count = split == splits.end() ? 0 : split->sample_count;
    const bool is_part = !quantized.source_split.empty() && !losses.empty() && quantized.max_error == 0 &&
                         losses.back().quantized->source_split == quantized.source_split;
    if (!is_part) losses.push_back({"", 0, &quantized});
    losses.back().names += (is_part ? ", " : "") + quantized.split;
    losses.back().sample_count += sample_count;
  }
  return losses;
}

/// "uint16 values of channel 4 from 185 to 220".
std::string values_text(const QuantizationNotes& quantized, const ChannelLoss& loss,
                        const std::optional<std::int64_t>& channel = {}) {
  const std::string of_channel = channel ? " of channel " + std::to_string(*channel) : "";
  return quantized.from + " values" + of_channel + formatted(" from %.6g to %.6g", *loss.smallest, *loss.largest);
}

std::string range_text(const ChannelLoss& loss) { return formatted("%.6g to %.6g", loss.low, loss.high); }

/// " (1,331 different values; 17 of 256 levels used, 1.2 effective bits, error 44 % of the standard deviation, largest
/// error 8 in channel 1)".
std::string loss_text(const QuantizationNotes& quantized) {
  std::string text = " (";
  if (quantized.levels) text += format_count(quantized.levels->before) + " different values; ";
  if (quantized.level_use) text += describe(*quantized.level_use) + ", ";
  return text + sources::largest_error_text(quantized.channels) + ")";
}

/// A number of a split that may be a fill value.
struct FarNumber {
  std::string split;
  double number = 0.0;
};

/// The end of all numbers that share the range of `quantized` which is farthest from its median; the median itself, if
/// most numbers are equal to one end. Nothing if it is no fill value by its size.
std::optional<FarNumber> far_number(const SourceNotes& found, const QuantizationNotes& quantized) {
  const double median = *quantized.level_use->median;
  const std::optional<std::int64_t> channel = quantized.level_use->channel;
  const ChannelLoss own = sources::loss_of(quantized, channel);
  FarNumber farthest = {quantized.split, median};
  const bool is_end = median == *own.smallest || median == *own.largest;
  for (const QuantizationNotes& other : found.quantized) {
    const ChannelLoss loss = sources::loss_of(other, channel);
    if (is_end || other.is_recorded || other.samples == 0 || loss.low != own.low || loss.high != own.high) continue;
    for (const double end : {*loss.smallest, *loss.largest}) {
      if (std::abs(end - median) > std::abs(farthest.number - median)) farthest = {other.split, end};
    }
  }
  const double size = std::max(std::abs(farthest.number), std::abs(farthest.number - median));
  return size < kLeastFillValue ? std::nullopt : std::optional(farthest);
}

std::string range_option(const LevelUse& use) {
  return use.better_percentile ? "`range=" + range_name(*use.better_percentile) + "`" : "`range`";
}

/// ", replace 1e+20 in val if it is a fill value".
std::string fill_value_hint(const SourceNotes& found, const QuantizationNotes& quantized) {
  const auto far = far_number(found, quantized);
  if (!far) return "";
  return formatted(", replace %.6g", far->number) + (found.quantized.size() > 1 ? " in " + far->split : "") +
         " if it is a fill value";
}

/// ", since the range reaches to -9999 in val" if another split has the number that makes the range wide.
std::string cause_elsewhere(const SourceNotes& found, const QuantizationNotes& quantized) {
  const ChannelLoss own = sources::loss_of(quantized, quantized.level_use->channel);
  const auto far = quantized.level_use->is_mostly_clipped ? std::nullopt : far_number(found, quantized);
  if (!far || (far->number >= *own.smallest && far->number <= *own.largest)) return "";
  return formatted(", since the range reaches to %.6g in ", far->number) + far->split;
}

std::string way_to_keep_more(const SourceNotes& found, const QuantizationNotes& quantized) {
  if (!quantized.takes_range) return "`range` does not apply to images of several types, so convert all to one type";
  return "give the range of most values with " + range_option(*quantized.level_use) +
         (quantized.level_use->is_mostly_clipped ? "" : fill_value_hint(found, quantized));
}

/// "values are rounded to multiples of 3 (largest error 1, PSNR 50.1 dB)".
std::string rounding_text(const QuantizationNotes& quantized, const ChannelLoss& loss) {
  const std::string error = formatted("%g", loss.largest_error);
  const std::string before = quantized.from == "uint8" ? "" : quantized.from + " ";
  return before + "values are rounded to multiples of " + std::to_string(value_step(quantized.max_error)) +
         (quantized.from == "uint8" ? "" : " of 255") + " (largest error " +
         (quantized.psnr_db ? error + formatted(", PSNR %.1f dB", *quantized.psnr_db) : "at most " + error) + ")";
}

/// Nothing if the bytes hold the values exactly.
std::optional<std::string> loss_note(const SharedLoss& shared) {
  const QuantizationNotes& quantized = *shared.quantized;
  const ChannelLoss loss = sources::over_channels(quantized.channels);
  if (loss.largest_error == 0.0) return std::nullopt;
  std::string text = shared.names + ": ";
  if (quantized.samples < shared.sample_count) text += "in " + counted(quantized.samples, "sample") + ", ";
  if (quantized.max_error != 0) return text + rounding_text(quantized, loss);
  text += values_text(quantized, loss) + " became 8-bit" + loss_text(quantized);
  if (loss.clipped > 0) {
    const bool is_shared = sources::share_range(quantized.channels);
    text += "; " + counted(loss.clipped, "value") + " outside " +
            (is_shared ? range_text(loss) : "the ranges of their channels") +
            (loss.clipped == 1 ? " was clipped" : " were clipped");
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
    if (!quantized.level_use) continue;
    const LevelUse& use = *quantized.level_use;
    if (!use.is_coarse && !use.is_mostly_clipped) continue;
    const ChannelLoss loss = sources::loss_of(quantized, use.channel);
    const std::string problem =
        use.is_mostly_clipped ? " are outside the range " + range_text(loss) : " would share fewer than 16 levels";
    throw DataError("quantize " + shared.names + ": most " + values_text(quantized, loss, use.channel) + problem +
                    loss_text(quantized) + cause_elsewhere(found, quantized) + "; " +
                    way_to_keep_more(found, quantized) + ", or accept the loss with `allow_loss`");
  }
}

}  // namespace octavo::packing
