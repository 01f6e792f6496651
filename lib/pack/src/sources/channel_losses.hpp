// The losses of channels as one, and as those of other channels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octavo/source_notes.hpp>

namespace octavo::sources {

/// The sum of the clipped numbers, the mean of the means, and the extremes of the rest, without the
/// use of levels. Has the smallest and largest numbers: if they are unknown, the ends of the range.
ChannelLoss over_channels(const std::vector<ChannelLoss>& channels);

/// Whether all channels have the same range.
bool share_range(const std::vector<ChannelLoss>& channels);

/// The loss of one channel, or over all channels without one, with the smallest and largest numbers.
ChannelLoss loss_of(const QuantizationNotes& quantized, const std::optional<std::int64_t>& channel);

/// "largest error 15.7 in channel 3"; the channel only if channels have different ranges.
std::string largest_error_text(const std::vector<ChannelLoss>& channels);

/// The loss of all channels in each of `count` channels that were made of them, with the clipped numbers in the first.
std::vector<ChannelLoss> in_channels(const std::vector<ChannelLoss>& channels, std::int64_t count);

}  // namespace octavo::sources
