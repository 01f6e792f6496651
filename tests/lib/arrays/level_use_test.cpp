#include <octavo/level_use.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace octavo;

namespace {

/// Quantizes the numbers with `low` and `high` as the ends of the range.
LevelUse use_of(const std::vector<double>& numbers, double low, double high) {
  LevelCounter counter;
  for (const double number : numbers) {
    const double steps = (number - low) / (high - low) * 255.0;
    counter.add(static_cast<std::uint8_t>(std::min(255.0, std::max(0.0, std::rint(steps)))), steps);
  }
  return counter.use();
}

std::vector<double> made(int count, const std::function<double()>& number) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(number());
  return numbers;
}

/// Random numbers that are the same in every run of a test case.
class Random {
 public:
  double operator()(double low, double high) { return std::uniform_real_distribution(low, high)(generator_); }

 private:
  std::mt19937 generator_{20261125};
};

}  // namespace

TEST_CASE("numbers spread evenly over the range keep eight bits", "[unit][arrays]") {
  Random uniform;
  const LevelUse use = use_of(made(100'000, [&] { return uniform(0.0, 1.0); }), 0.0, 1.0);
  CHECK(use.levels == 256);
  CHECK(std::abs(use.effective_bits.value() - 8.0) < 0.05);
  CHECK_FALSE(use.is_coarse);
  CHECK_FALSE(use.better_percentile);
  CHECK(describe({.levels = 256, .effective_bits = 8.0}) ==
        "256 of 256 levels used, 8.0 effective bits, error 0.39 % of the standard deviation");
}

TEST_CASE("hot pixels that leave a few levels to the others are coarse", "[unit][arrays]") {
  Random uniform;
  const int hot_count = GENERATE(1, 20, 160, 1600);  // of 100,000
  const bool is_one_value = GENERATE(true, false);
  CAPTURE(hot_count, is_one_value);
  std::vector<double> numbers = made(100'000, [&] { return std::rint(uniform(200.0, 1002.0)); });
  for (int i = 0; i < hot_count; ++i) numbers[std::size_t(i) * 60] = is_one_value ? 65535.0 : uniform(20000.0, 65535.0);
  const LevelUse use = use_of(numbers, 200.0, 65535.0);
  // More of them than percentiles leave out, with many values, cannot be told from data of a wide range.
  const bool is_rare = hot_count <= 100;
  CHECK(use.is_coarse == (is_one_value || is_rare));
  if (!is_rare) return;
  CHECK(use.effective_bits.value() < 2.0);
  CHECK(use.better_percentile == (hot_count < 100 ? 99.9 : 99.5));
}

TEST_CASE("few values that keep their own levels are not coarse", "[unit][arrays]") {
  Random uniform;
  const int values = GENERATE(2, 3, 11);
  const double noise = GENERATE(0.0, 1e-7);
  const auto number = [&] { return std::floor(uniform(0.0, values)) / (values - 1) + uniform(-noise, 0.0); };
  const LevelUse use = use_of(made(10'000, number), 0.0, 1.0);
  CHECK(use.levels == values);
  CHECK_FALSE(use.is_coarse);
  CHECK_FALSE(use.better_percentile);
}

TEST_CASE("an outlier far from a few values is coarse", "[unit][arrays]") {
  Random uniform;
  std::vector<double> numbers = made(10'000, [&] { return std::floor(uniform(0.0, 4.0)); });
  numbers[5] = 1e6;
  const LevelUse use = use_of(numbers, 0.0, 1e6);
  CHECK(use.levels == 2);
  CHECK(use.is_coarse);
  CHECK(use.better_percentile == 99.9);
}

TEST_CASE("a fill value far from the other numbers is coarse", "[unit][arrays]") {
  Random uniform;
  const double fill = GENERATE(-9999.0, -32768.0);
  const double share = GENERATE(0.002, 0.05, 0.3);
  const auto numbers = made(20'000, [&] { return uniform(0.0, 1.0) < share ? fill : uniform(0.1, 0.9); });
  CHECK(use_of(numbers, std::min(0.1, fill), std::max(0.9, fill)).is_coarse);
}

TEST_CASE("dark images in a wide range are coarse", "[unit][arrays]") {
  Random uniform;
  const LevelUse use = use_of(made(10'000, [&] { return uniform(0.0, 0.05); }), 0.0, 1.0);
  CHECK(use.levels == 14);
  CHECK(use.is_coarse);
  CHECK(use.better_percentile == 99.9);
}

TEST_CASE("a range that clips nearly all numbers is coarse", "[unit][arrays]") {
  Random uniform;
  CHECK(use_of(made(10'000, [&] { return uniform(10.0, 4000.0); }), 0.0, 1.0).is_coarse);
}

TEST_CASE("a sparse background does not make the rest coarse", "[unit][arrays]") {
  Random uniform;
  const LevelUse use =
      use_of(made(100'000, [&] { return uniform(0.0, 1.0) < 0.8 ? 0.0 : uniform(0.0, 1.0); }), 0.0, 1.0);
  CHECK_FALSE(use.is_coarse);
  CHECK(use.effective_bits.value() > 7.5);
}

TEST_CASE("clipping a few numbers costs no effective bits", "[unit][arrays]") {
  Random uniform;
  std::vector<double> numbers = made(100'000, [&] { return uniform(0.0, 1.0); });
  for (std::size_t i = 0; i < 90; ++i) numbers[i * 7] = 1000.0;
  CHECK(use_of(numbers, 0.0, 1.0).effective_bits.value() > 7.9);
}

TEST_CASE("equal numbers have no effective bits", "[unit][arrays]") {
  CHECK_FALSE(use_of({0.3, 0.3, 0.3}, 0.0, 1.0).effective_bits);
  CHECK_FALSE(use_of({}, 0.0, 1.0).effective_bits);
  CHECK_FALSE(use_of({0.3, 0.3, 0.3}, 0.0, 1.0).is_coarse);
}

TEST_CASE("the coarsest use comes first, exact ones last", "[unit][arrays]") {
  const LevelUse coarse = {.levels = 6, .effective_bits = 7.0, .is_coarse = true};
  const LevelUse few = {.levels = 256, .effective_bits = 3.0}, exact = {.levels = 2};
  CHECK(keeps_less(coarse, few));
  CHECK(keeps_less(few, exact));
  CHECK_FALSE(keeps_less(exact, few));
  CHECK_FALSE(keeps_less(few, coarse));
}
