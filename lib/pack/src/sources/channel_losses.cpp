#include "sources/channel_losses.hpp"

#include <algorithm>

#include "support/text/text_units.hpp"

namespace octavo::sources {

ChannelLoss over_channels(const std::vector<ChannelLoss>& channels) {
  ChannelLoss all = channels.at(0);
  all.smallest = all.smallest.value_or(all.low);
  all.largest = all.largest.value_or(all.high);
  all.clipped = 0;
  all.mean_rounding = 0.0;
  all.levels.reset();
  all.effective_bits.reset();
  for (const ChannelLoss& channel : channels) {
    all.low = std::min(all.low, channel.low);
    all.high = std::max(all.high, channel.high);
    all.smallest = std::min(*all.smallest, channel.smallest.value_or(channel.low));
    all.largest = std::max(*all.largest, channel.largest.value_or(channel.high));
    all.largest_error = std::max(all.largest_error, channel.largest_error);
    all.mean_rounding += channel.mean_rounding / static_cast<double>(channels.size());
    all.clipped += channel.clipped;
  }
  return all;
}

bool share_range(const std::vector<ChannelLoss>& channels) {
  return std::ranges::all_of(channels, [&](const ChannelLoss& channel) {
    return channel.low == channels[0].low && channel.high == channels[0].high;
  });
}

ChannelLoss loss_of(const QuantizationNotes& quantized, const std::optional<std::int64_t>& channel) {
  const auto count = static_cast<std::int64_t>(quantized.channels.size());
  if (!channel || *channel >= count) return over_channels(quantized.channels);
  return over_channels({quantized.channels[static_cast<std::size_t>(*channel)]});
}

std::string largest_error_text(const std::vector<ChannelLoss>& channels) {
  const auto worst = std::ranges::max_element(channels, {}, &ChannelLoss::largest_error);
  const std::string text = formatted("largest error %.3g", worst->largest_error);
  return share_range(channels) ? text : text + " in channel " + std::to_string(worst - channels.begin());
}

std::vector<ChannelLoss> in_channels(const std::vector<ChannelLoss>& channels, std::int64_t count) {
  std::vector<ChannelLoss> made(static_cast<std::size_t>(count), over_channels(channels));
  for (std::size_t c = 1; c < made.size(); ++c) made[c].clipped = 0;
  return made;
}

}  // namespace octavo::sources
