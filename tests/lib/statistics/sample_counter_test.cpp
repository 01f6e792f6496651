#include "format/statistics/sample_counter.hpp"

#include <random>
#include <vector>

#include "catch.hpp"

using octavo::statistics::SampleCounter;
using octavo::statistics::SampleTotals;

namespace {

std::vector<std::uint8_t> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint8_t> values(count);
  for (auto& value : values) value = static_cast<std::uint8_t>(generator() % 256);
  return values;
}

/// The same totals, from a plain loop.
SampleTotals plain_totals(const octavo::SampleShape& shape, const std::vector<std::uint8_t>& values) {
  SampleTotals totals(shape);
  const auto per_sample = static_cast<std::size_t>(shape.values());
  const auto plane = static_cast<std::size_t>(shape.values_per_channel());
  for (std::size_t i = 0; i < values.size(); ++i) {
    totals.histogram[i % per_sample / plane * 256 + values[i]] += 1;
    totals.value_sums[i % per_sample] += values[i];
  }
  totals.sample_count = static_cast<std::int64_t>(values.size() / per_sample);
  return totals;
}

void require_equal(const SampleTotals& a, const SampleTotals& b) {
  REQUIRE(a.sample_count == b.sample_count);
  REQUIRE(a.histogram == b.histogram);
  REQUIRE(a.value_sums == b.value_sums);
}

}  // namespace

TEST_CASE("counts and sums match a plain loop for every plane size up to 35", "[unit][quant]") {
  for (std::int64_t width = 1; width <= 35; ++width) {
    const octavo::SampleShape shape{3, 1, width};
    const auto values = random_values(static_cast<std::size_t>(shape.values()) * 7, 11);
    SampleCounter counter(shape);
    counter.add(values);
    SampleTotals totals(shape);
    counter.move_into(totals);
    require_equal(totals, plain_totals(shape, values));
  }
}

TEST_CASE("counters of several threads add up to one total count", "[unit][quant]") {
  const octavo::SampleShape shape{2, 5, 3};
  const auto values = random_values(static_cast<std::size_t>(shape.values()) * 100, 5);
  SampleCounter first(shape);
  SampleCounter second(shape);
  first.add(std::span(values).subspan(0, 30 * 37));
  second.add(std::span(values).subspan(30 * 37));
  SampleTotals totals(shape);
  second.move_into(totals);
  first.move_into(totals);
  first.move_into(totals);  // leaves it empty
  require_equal(totals, plain_totals(shape, values));
}

TEST_CASE("the mean image is the integer sum divided by N in double and rounded once", "[unit][quant]") {
  SampleTotals totals({1, 1, 3});
  totals.sample_count = 3;
  totals.value_sums = {1, 765, 10};  // 1/3, 255, 10/3
  totals.histogram[0] = 9;
  const auto statistics = totals.statistics({{1.0, 0.0}});
  REQUIRE(statistics.mean_image ==
          std::vector<float>{static_cast<float>(1.0 / 3.0), 255.0f, static_cast<float>(10.0 / 3.0)});
}

TEST_CASE("the mean image is in source units", "[unit][quant]") {
  SampleTotals totals({1, 1, 1});
  totals.sample_count = 2;
  totals.value_sums = {20};
  totals.histogram[10] = 2;
  // 0.5 * 10 - 3 = 2
  REQUIRE(totals.statistics({{0.5, -3.0}}).mean_image == std::vector<float>{2.0f});
}

TEST_CASE("more samples than a 32-bit sum holds are counted exactly", "[unit][quant]") {
  // 2^24 + 100,000 samples of value 255 sum to more than 2^32.
  const octavo::SampleShape shape{1, 1, 1};
  const std::int64_t count = (std::int64_t{1} << 24) + 100'000;
  SampleCounter counter(shape);
  counter.add(std::vector<std::uint8_t>(static_cast<std::size_t>(count), 255));
  SampleTotals totals(shape);
  counter.move_into(totals);
  REQUIRE(totals.value_sums[0] == count * 255);
  REQUIRE(totals.histogram[255] == count);
}
