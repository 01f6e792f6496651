// The numbers that the bytes 0 and 255 represent, for people and as JSON.
#pragma once

#include <octavo/statistics.hpp>
#include <string>
#include <vector>

#include "text/json_output.hpp"

namespace octavo::tools {

/// Channels that are listed one by one; of more, only their number is shown.
inline constexpr std::size_t kMostListedChannels = 8;

/// "range of train: 0 to 65535" or "ranges of train, by channel: -1 to 1, 0 to 10"; `quantization` is [C].
std::string describe_ranges(const std::string& split, const std::vector<ChannelQuantization>& quantization);

/// [[low,high], ...] of each channel.
Json ranges_as_json(const std::vector<ChannelQuantization>& quantization);

}  // namespace octavo::tools
