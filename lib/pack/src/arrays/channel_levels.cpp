#include "arrays/channel_levels.hpp"

#include <algorithm>

namespace octavo::arrays {
namespace {

// A counter takes 12 KiB. Of more channels, neighbors share one.
constexpr std::size_t kMostCounters = 512;
// A counter is about as large as this many listed numbers, and takes as long to add to another.
constexpr std::size_t kListedPerCounter = 256;

}  // namespace

ChannelLevels::ChannelLevels(std::size_t channel_count)
    : channel_count_(std::max<std::size_t>(1, channel_count)),
      channels_per_counter_((channel_count_ + kMostCounters - 1) / kMostCounters),
      most_listed_(kListedPerCounter * counter_count()) {}

std::size_t ChannelLevels::counter_count() const {
  return (channel_count_ + channels_per_counter_ - 1) / channels_per_counter_;
}

void ChannelLevels::count_listed() {
  if (counters_.empty()) counters_.resize(counter_count());
  for (const Listed& one : listed_) counters_[one.counter].add(one.level, one.steps, one.number);
  listed_ = {};
}

void ChannelLevels::add(const ChannelLevels& other) {
  count_listed();
  for (const Listed& one : other.listed_) counters_[one.counter].add(one.level, one.steps, one.number);
  for (std::size_t i = 0; i < other.counters_.size(); ++i) counters_[i].add(other.counters_[i]);
}

LevelUse ChannelLevels::least_use() const {
  LevelUse least = octavo::least_use(counters_);
  if (channels_per_counter_ > 1) least.channel.reset();
  return least;
}

std::optional<LevelUse> ChannelLevels::use_of(std::size_t channel) const {
  if (channels_per_counter_ > 1 || channel >= counters_.size() || counters_[channel].is_empty()) return std::nullopt;
  return counters_[channel].use();
}

}  // namespace octavo::arrays
