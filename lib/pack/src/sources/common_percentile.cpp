#include "sources/common_percentile.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "sources/channel_losses.hpp"

namespace octavo::sources {
namespace {

bool is_measured(const QuantizationNotes& notes) {
  return !notes.is_recorded && notes.samples > 0 && notes.level_use.has_value();
}

std::pair<double, double> range_of(const QuantizationNotes& notes) {
  const ChannelLoss loss = over_channels(notes.channels);
  return {loss.low, loss.high};
}

}  // namespace

void keep_common_percentile(std::vector<QuantizationNotes>& quantized) {
  std::map<std::pair<double, double>, std::optional<double>> proposal_of;
  for (const QuantizationNotes& notes : quantized) {
    if (!is_measured(notes)) continue;
    const std::optional<double> own = notes.level_use->better_percentile;
    const auto [at, is_new] = proposal_of.try_emplace(range_of(notes), own);
    if (!is_new) at->second = own && at->second ? std::optional(std::min(*own, *at->second)) : std::nullopt;
  }
  for (QuantizationNotes& notes : quantized) {
    if (is_measured(notes)) notes.level_use->better_percentile = proposal_of.at(range_of(notes));
  }
}

}  // namespace octavo::sources
