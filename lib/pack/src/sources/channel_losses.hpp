// The losses of channels as one, and as those of other channels.
#pragma once

#include <cstdint>
#include <vector>

#include <octavo/source_notes.hpp>

namespace octavo::sources {

/// The sum of the clipped numbers, the mean of the means, and the extremes of the rest. Has the smallest and largest
/// numbers: if they are unknown, the ends of the range.
ChannelLoss over_channels(const std::vector<ChannelLoss>& channels);

/// The loss of all channels in each of `count` channels that were made of them, with the clipped numbers in the first.
std::vector<ChannelLoss> in_channels(const std::vector<ChannelLoss>& channels, std::int64_t count);

}  // namespace octavo::sources
