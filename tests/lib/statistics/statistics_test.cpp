#include <array>
#include <cmath>
#include <octavo/statistics.hpp>

#include "catch.hpp"

using octavo::Statistics;

namespace {

using Counts = std::array<std::int64_t, 256>;

Counts counts_of(std::initializer_list<std::pair<int, std::int64_t>> entries) {
  Counts counts{};
  for (const auto& [value, count] : entries) counts[static_cast<std::size_t>(value)] = count;
  return counts;
}

Statistics two_channels(const Counts& first, const Counts& second, std::vector<octavo::ChannelQuantization> units) {
  Statistics statistics;
  statistics.quantization = units;
  for (const auto* counts : {&first, &second}) {
    const auto unit = units[statistics.mean.size()];
    statistics.histogram.insert(statistics.histogram.end(), counts->begin(), counts->end());
    statistics.mean.push_back(octavo::mean_of_counts(counts->data(), unit));
    statistics.standard_deviation.push_back(octavo::standard_deviation_of_counts(counts->data(), unit));
  }
  return statistics;
}

}  // namespace

TEST_CASE("mean and deviation of a few values match hand-computed ones", "[unit][quant]") {
  // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, population variance 4.
  const Counts counts = counts_of({{2, 1}, {4, 3}, {5, 2}, {7, 1}, {9, 1}});
  REQUIRE(octavo::mean_of_counts(counts.data(), {}) == 5.0);
  REQUIRE(octavo::standard_deviation_of_counts(counts.data(), {}) == 2.0);
}

TEST_CASE("mean and deviation are in source units", "[unit][quant]") {
  const Counts counts = counts_of({{2, 1}, {4, 3}, {5, 2}, {7, 1}, {9, 1}});
  REQUIRE(octavo::mean_of_counts(counts.data(), {0.5, 10.0}) == 12.5);
  REQUIRE(octavo::standard_deviation_of_counts(counts.data(), {-0.5, 10.0}) == 1.0);
}

TEST_CASE("an empty histogram has mean and deviation 0", "[unit][quant]") {
  const Counts counts{};
  REQUIRE(octavo::mean_of_counts(counts.data(), {1.0, 7.0}) == 0.0);
  REQUIRE(octavo::standard_deviation_of_counts(counts.data(), {}) == 0.0);
}

TEST_CASE("counts near 2^52 lose nothing to cancellation", "[unit][quant]") {
  // Half 254, half 255: the deviation is exactly 1/2. Sums in double would be inexact.
  const std::int64_t half = std::int64_t{1} << 51;
  const Counts counts = counts_of({{254, half}, {255, half}});
  REQUIRE(octavo::mean_of_counts(counts.data(), {}) == 254.5);
  REQUIRE(octavo::standard_deviation_of_counts(counts.data(), {}) == 0.5);
}

TEST_CASE("equal values have deviation exactly 0", "[unit][quant]") {
  const Counts counts = counts_of({{201, 1'234'567}});
  REQUIRE(octavo::standard_deviation_of_counts(counts.data(), {}) == 0.0);
}

TEST_CASE("the pooled mean and deviation cover all channels together", "[unit][quant]") {
  // 0, 0 and 4, 4: mean 2, deviation 2.
  const auto statistics = two_channels(counts_of({{0, 2}}), counts_of({{4, 2}}), {{1.0, 0.0}, {1.0, 0.0}});
  REQUIRE(octavo::pooled_mean(statistics) == 2.0);
  REQUIRE(octavo::pooled_standard_deviation(statistics) == 2.0);
}

TEST_CASE("channels in different units are pooled in source units", "[unit][quant]") {
  // 1, 3 in units of 1, and 2, 4 in units of 10 (20, 40): mean 16, variance (15^2 + 13^2 + 4^2 + 24^2) / 4 = 246.5.
  const auto statistics =
      two_channels(counts_of({{1, 1}, {3, 1}}), counts_of({{2, 1}, {4, 1}}), {{1.0, 0.0}, {10.0, 0.0}});
  REQUIRE(octavo::pooled_mean(statistics) == 16.0);
  REQUIRE(octavo::pooled_standard_deviation(statistics) == std::sqrt(246.5));
}
