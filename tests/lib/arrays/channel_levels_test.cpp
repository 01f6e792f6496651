#include "arrays/channel_levels.hpp"

#include <octavo/level_use.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "catch.hpp"

using namespace octavo;
using arrays::ChannelLevels;

namespace {

void add(ChannelLevels& levels, std::size_t channel, double steps, double number) {
  levels.add(channel, static_cast<std::uint8_t>(std::rint(steps)), steps, number);
}

/// Adds to channel 0 numbers of all levels, to channel 1 ten numbers of one level, and to channel 2 equal ones.
void add_bands(ChannelLevels& levels, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    add(levels, 0, 0.37 * (i % 600), 37.0 * (i % 600));
    add(levels, 1, 2.0 + 0.01 * (i % 10), 200.0 + i % 10);
    add(levels, 2, 7.3, 730.0);
  }
}

}  // namespace

TEST_CASE("the channel that keeps the least is reported, not the spread between channels", "[unit][arrays]") {
  const int samples = GENERATE(1, 50);  // of few numbers, which are listed, and of many, which are counted
  ChannelLevels all(3);
  for (int i = 0; i < samples; ++i) {
    ChannelLevels sample(3);
    add_bands(sample, i * (1200 / samples), 1200 / samples);
    all.add(sample);
  }
  const LevelUse least = all.least_use();
  CHECK(least.channel == 1);
  CHECK(least.levels == 1);
  CHECK(least.is_coarse);
  CHECK(least.better_percentile == 100.0);
  CHECK(all.use_of(0)->levels > 100);
  CHECK(all.use_of(2)->levels == 1);
  CHECK_FALSE(all.use_of(2)->effective_bits);
}

TEST_CASE("channels whose numbers are all equal count only if all are such", "[unit][arrays]") {
  ChannelLevels levels(2), constant(2);
  for (int i = 0; i < 600; ++i) {
    add(levels, 0, 0.37 * i, 37.0 * i);
    for (const std::size_t channel : {0, 1}) add(constant, channel, 7.3, 730.0);
    add(levels, 1, 7.3, 730.0);
  }
  ChannelLevels sum(2), equal_sum(2);
  sum.add(levels);
  equal_sum.add(constant);
  CHECK(sum.least_use().channel == 0);
  CHECK(equal_sum.least_use().levels == 1);
  CHECK_FALSE(equal_sum.least_use().is_coarse);
}

TEST_CASE("channels without numbers have no use of levels", "[unit][arrays]") {
  ChannelLevels gray(3), sum(3);
  for (int i = 0; i < 600; ++i) add(gray, 0, 0.37 * i, 37.0 * i);
  sum.add(gray);
  CHECK(sum.least_use().channel == 0);
  CHECK_FALSE(sum.use_of(1));
  CHECK(ChannelLevels(3).least_use().levels == 0);
}

TEST_CASE("of more than 512 channels, neighbors share a counter", "[unit][arrays]") {
  ChannelLevels levels(1024), sum(1024);
  for (std::size_t channel = 0; channel < 1024; ++channel) {
    for (int i = 0; i < 40; ++i) add(levels, channel, 6.3 * i, 63.0 * i);
  }
  sum.add(levels);
  CHECK_FALSE(sum.least_use().channel);
  CHECK_FALSE(sum.use_of(3));
  CHECK(sum.least_use().levels == 40);
}

TEST_CASE("a percentile is proposed that suits all channels that keep little", "[unit][arrays]") {
  ChannelLevels levels(2), sum(2);
  for (int i = 0; i < 10000; ++i) {
    // Channel 0 is in one level; in channel 1, one number in 10,000 takes the range.
    add(levels, 0, 2.0 + 0.001 * (i % 100), 200.0 + 0.1 * (i % 100));
    const double number = i == 5 ? 254.0 : 0.005 * (i % 1000);
    add(levels, 1, number, 1000.0 * number);
  }
  sum.add(levels);
  CHECK(sum.least_use().channel == 0);
  CHECK(sum.use_of(0)->better_percentile == 100.0);
  CHECK(sum.least_use().better_percentile == 99.9);
}
