// Counts the numbers behind the levels of each channel, in memory that many channels or small samples do not exceed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <octavo/level_use.hpp>

namespace octavo::arrays {

/// The counters of one sample, or of all samples of a split. Sums do not depend on their order.
class ChannelLevels {
 public:
  explicit ChannelLevels(std::size_t channel_count);

  /// As LevelCounter::add(). Numbers of channels beyond the last count there.
  void add(std::size_t channel, std::uint8_t level, double steps, double number) {
    const std::uint32_t counter = counter_of(channel);
    if (!counters_.empty()) return counters_[counter].add(level, steps, number);
    listed_.push_back({steps, number, counter, level});
    if (listed_.size() >= most_listed_) count_listed();
  }
  /// `other` has as many channels.
  void add(const ChannelLevels& other);

  /// The use of the channel that keeps the least, with its index if there are several.
  LevelUse least_use() const;
  /// Nothing if the channel has no numbers, or is counted with others.
  std::optional<LevelUse> use_of(std::size_t channel) const;

 private:
  struct Listed {
    double steps = 0.0;
    double number = 0.0;
    std::uint32_t counter = 0;
    std::uint8_t level = 0;
  };

  std::uint32_t counter_of(std::size_t channel) const {
    const std::size_t last = channel_count_ - 1;
    return static_cast<std::uint32_t>((channel < last ? channel : last) / channels_per_counter_);
  }
  std::size_t counter_count() const;
  void count_listed();

  std::size_t channel_count_;
  std::size_t channels_per_counter_;
  std::size_t most_listed_;
  std::vector<Listed> listed_;          ///< of a small sample, for which counters would be larger and slower to add up
  std::vector<LevelCounter> counters_;  ///< empty as long as the numbers are listed
};

}  // namespace octavo::arrays
