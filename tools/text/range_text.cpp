#include "text/range_text.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <sstream>

#include "text/human_units.hpp"

namespace octavo::tools {
namespace {

double low_of(const ChannelQuantization& map) { return map.zero_point; }
double high_of(const ChannelQuantization& map) { return map.zero_point + 255.0 * map.scale; }

std::string range_text(const ChannelQuantization& map) {
  std::ostringstream text;
  text << low_of(map) << " to " << high_of(map);
  return text.str();
}

}  // namespace

std::string describe_ranges(const std::string& split, const std::vector<ChannelQuantization>& quantization) {
  const bool is_shared = std::ranges::adjacent_find(quantization, std::ranges::not_equal_to{}) == quantization.end();
  if (is_shared) return "range of " + split + ": " + range_text(quantization.at(0));
  const std::string ranges = "ranges of " + split + ", by channel: ";
  if (quantization.size() > kMostListedChannels) {
    return ranges + "different ones in " + format_count(std::ssize(quantization)) + " channels";
  }
  std::string text;
  for (const ChannelQuantization& map : quantization) text += (text.empty() ? "" : ", ") + range_text(map);
  return ranges + text;
}

Json ranges_as_json(const std::vector<ChannelQuantization>& quantization) {
  Json ranges = Json::array();
  for (const ChannelQuantization& map : quantization) ranges.push_back({low_of(map), high_of(map)});
  return ranges;
}

}  // namespace octavo::tools
