#include "sources/recorded_loss.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <octavo/compression.hpp>

namespace octavo::sources {
namespace {

/// The notes on a split; null if there are none.
Json notes_on(const Json& provenance, const std::string& split) {
  const Json::json_pointer place = Json::json_pointer() / "notes" / ("quantized " + split);
  return provenance.contains(place) && provenance[place].is_object() ? provenance[place] : Json();
}

std::optional<double> number_at(const Json& object, const char* key) {
  const Json number = object.value(key, Json());
  return number.is_number() ? std::optional(number.get<double>()) : std::nullopt;
}

std::optional<double> number_between(const Json& object, const char* key, double low, double high) {
  const auto number = number_at(object, key);
  return number && *number >= low && *number <= high ? number : std::nullopt;
}

std::optional<std::int64_t> count_at(const Json& object, const char* key) {
  const Json number = object.value(key, Json());
  return number.is_number_integer() ? std::optional(number.get<std::int64_t>()) : std::nullopt;
}

/// Older versions recorded more than 8.
std::optional<double> bits_in(const Json& object) {
  const auto bits = number_between(object, "effective_bits", -64, 64);
  return bits ? std::optional(std::min(8.0, *bits)) : std::nullopt;
}

/// Empty if a channel has no figures.
std::vector<ChannelLoss> channels_in(const Json& notes) {
  const Json channels = notes.value("channels", Json());
  if (!channels.is_array()) return {};
  std::vector<ChannelLoss> losses;
  for (const Json& channel : channels) {
    if (!channel.is_object()) return {};
    const auto largest_error = number_at(channel, "largest_error"), mean = number_at(channel, "mean_rounding");
    const auto clipped = number_at(channel, "clipped");
    if (!largest_error || !mean || !clipped) return {};
    losses.push_back({.low = number_at(channel, "low").value_or(0.0),
                      .high = number_at(channel, "high").value_or(0.0),
                      .largest_error = *largest_error,
                      .mean_rounding = *mean,
                      .clipped = static_cast<std::int64_t>(*clipped),
                      .smallest = number_at(channel, "smallest"),
                      .largest = number_at(channel, "largest"),
                      .levels = count_at(channel, "levels"),
                      .effective_bits = bits_in(channel)});
  }
  return losses;
}

std::optional<QuantizationNotes::Levels> levels_in(const Json& notes) {
  const Json levels = notes.value("levels", Json());
  if (!levels.is_object()) return std::nullopt;
  const auto before = count_at(levels, "before"), after = count_at(levels, "after");
  return before && after ? std::optional(QuantizationNotes::Levels{*before, *after}) : std::nullopt;
}

std::optional<double> error_in(const Json& object, const char* key) {
  return number_between(object, key, 0.0, std::numeric_limits<double>::max());
}

/// Nothing if it is not one of the channels.
std::optional<std::int64_t> channel_in(const Json& use, std::size_t channel_count) {
  const auto channel = count_at(use, "channel");
  const bool is_one = channel && *channel >= 0 && *channel < static_cast<std::int64_t>(channel_count);
  return is_one ? channel : std::nullopt;
}

std::optional<LevelUse> level_use_in(const Json& notes, std::size_t channel_count) {
  const Json use = notes.value("level_use", Json());
  if (!use.is_object()) return std::nullopt;
  const auto levels = count_at(use, "levels");
  if (!levels || *levels < 1 || *levels > 256) return std::nullopt;
  return LevelUse{.levels = *levels,
                  .relative_error = error_in(use, "relative_error"),
                  .effective_bits = bits_in(use),
                  .relative_error_with_clipped = error_in(use, "relative_error_with_clipped"),
                  .clipped_share = number_between(use, "clipped_share", 0, 1).value_or(0.0),
                  .is_coarse = use.value("is_coarse", Json()) == true,
                  .is_mostly_clipped = use.value("is_mostly_clipped", Json()) == true,
                  .better_percentile = number_between(use, "better_percentile", 50, 100),
                  .channel = channel_in(use, channel_count)};
}

/// Rows of the source are rows of the split only if all its samples were packed, and from one source.
bool has_rows_of_source(const Json& provenance, const Json& notes, std::int64_t sample_count) {
  const Json all = provenance.value("notes", Json::object());
  for (const char* choice : {"select", "limit", "holdout"}) {
    if (all.contains(choice)) return false;
  }
  return provenance.value("skipped", Json::array()).empty() && count_at(notes, "samples") == sample_count;
}

std::vector<QuantizationNotes::WorstSample> worst_in(const Json& notes, std::int64_t sample_count) {
  std::vector<QuantizationNotes::WorstSample> worst;
  for (const Json& sample : notes.value("worst", Json::array())) {
    if (!sample.is_object()) return {};
    const auto row = count_at(sample, "row");
    const auto rms_steps = number_at(sample, "rms_steps");
    if (!row || !rms_steps || *row < 0 || *row >= sample_count) return {};
    worst.push_back({*row, *rms_steps});
  }
  return worst;
}

std::string text_at(const Json& object, const char* key) {
  const Json text = object.value(key, Json());
  return text.is_string() ? text.get<std::string>() : "";
}

}  // namespace

std::optional<QuantizationNotes> recorded_loss(const Json& provenance, const std::string& split,
                                               std::int64_t sample_count) {
  const Json notes = notes_on(provenance, split);
  // Old files have notes on splits in which nothing was quantized. Their losses are 0, but nothing was compared.
  if (notes.is_null() || count_at(notes, "samples") == 0) return std::nullopt;
  QuantizationNotes loss{.split = split, .from = text_at(notes, "from"), .channels = channels_in(notes)};
  if (loss.channels.empty()) return std::nullopt;
  loss.samples = count_at(notes, "samples").value_or(sample_count);
  loss.levels = levels_in(notes);
  loss.psnr_db = number_at(notes, "psnr_db");
  loss.max_error =
      static_cast<int>(std::clamp<std::int64_t>(count_at(notes, "max_error").value_or(0), 0, kMostMaxError));
  loss.level_use = level_use_in(notes, loss.channels.size());
  if (has_rows_of_source(provenance, notes, sample_count)) loss.worst = worst_in(notes, sample_count);
  loss.source_split = text_at(notes, "source_split");
  loss.is_recorded = true;
  return loss;
}

}  // namespace octavo::sources
