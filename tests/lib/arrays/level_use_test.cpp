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
    counter.add(static_cast<std::uint8_t>(std::min(255.0, std::max(0.0, std::rint(steps)))), steps, number);
  }
  return counter.use();
}

std::vector<double> made(int count, const std::function<double()>& number) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(number());
  return numbers;
}

/// log2(standard deviation / root mean square error) of the numbers from the first to the last share of 0.1 %.
double bits_of(std::vector<double> numbers, double low, double high) {
  std::ranges::sort(numbers);
  const std::size_t tail = numbers.size() / 1000;
  double count = 0.0, sum = 0.0, squares = 0.0, errors = 0.0;
  for (std::size_t i = tail; i < numbers.size() - tail; ++i) {
    const double steps = (numbers[i] - low) / (high - low) * 255.0;
    const double error = std::min(255.0, std::max(0.0, std::rint(steps))) - steps;
    count += 1.0, sum += steps, squares += steps * steps, errors += error * error;
  }
  return std::log2(std::sqrt(squares / count - sum / count * (sum / count)) / std::sqrt(errors / count));
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
  CHECK(describe({.levels = 2, .effective_bits = -0.1, .clipped_share = 0.021}) ==
        "2 of 256 levels used, 0.0 effective bits, error 100 % of the standard deviation, 2.1 % of the values clipped");
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
  const double fill = GENERATE(-999.0, -9999.0, -32768.0, 1e20, -1e20, 9.96921e36);
  const double share = GENERATE(0.0001, 0.002, 0.05, 0.3);
  const double unit = GENERATE(1.0, 1e-9);
  CAPTURE(fill, share, unit);
  const auto numbers = made(20'000, [&] { return uniform(0.0, 1.0) < share ? fill : unit * uniform(-0.9, 0.9); });
  const LevelUse use = use_of(numbers, std::min(-0.9 * unit, fill), std::max(0.9 * unit, fill));
  CHECK(use.is_coarse);
  CHECK(use.effective_bits.value() < 0.5);
  // More of them than percentiles leave out.
  CHECK(use.better_percentile.has_value() == (share < 0.01));
}

TEST_CASE("the effective bits of integers and of half floats are those of the formula", "[unit][arrays]") {
  Random uniform;
  const double spacing = GENERATE(1.0, 4.0, 17.0);  // of 65.5 per step, so that a level has 4 to 66 values
  const auto numbers = made(50'000, [&] {
    const double sum = uniform(0.0, 4177.0) + uniform(0.0, 4177.0) + uniform(0.0, 4177.0) + uniform(0.0, 4177.0);
    return std::rint(sum / spacing) * spacing;
  });
  const double high = 16708.0;
  CHECK(std::abs(use_of(numbers, 0.0, high).effective_bits.value() - bits_of(numbers, 0.0, high)) < 0.01);
}

TEST_CASE("dark images in a wide range are coarse", "[unit][arrays]") {
  Random uniform;
  const LevelUse use = use_of(made(10'000, [&] { return uniform(0.0, 0.05); }), 0.0, 1.0);
  CHECK(use.levels == 14);
  CHECK(use.is_coarse);
  CHECK(use.better_percentile == 100.0);  // minmax
}

TEST_CASE("a range that clips nearly all numbers is coarse", "[unit][arrays]") {
  Random uniform;
  const LevelUse use = use_of(made(10'000, [&] { return uniform(10.0, 4000.0); }), 0.0, 1.0);
  CHECK(use.is_coarse);
  CHECK(use.is_mostly_clipped);
  CHECK(use.clipped_share == 1.0);
}

TEST_CASE("clipped numbers count as errors", "[unit][arrays]") {
  Random uniform;
  const auto numbers = made(100'000, [&] { return uniform(0.0, 1.0); });
  const double high = GENERATE(0.3, 0.6, 0.9);
  const LevelUse use = use_of(numbers, 0.0, high);
  CHECK(std::abs(use.clipped_share - (1.0 - high)) < 0.01);
  CHECK(use.is_mostly_clipped == (high < 0.5));
  // The error of a number x above the end is x - high, except for the last 1 %, and the range hardly matters:
  // (0.99 - high)^3 / 3 is the mean square, and 0.2858 the standard deviation of what is left.
  const double error = std::sqrt(std::pow(0.99 - high, 3.0) / 3.0);
  CHECK(std::abs(use.effective_bits.value() - std::log2(0.2858 / error)) < 0.1);
}

TEST_CASE("a range that leaves out a fill value costs no effective bits", "[unit][arrays]") {
  Random uniform;
  const double share = GENERATE(0.05, 0.7);
  const auto numbers = made(50'000, [&] { return uniform(0.0, 1.0) < share ? 1e20 : uniform(0.0, 1.0); });
  const LevelUse use = use_of(numbers, 0.0, 1.0);
  CHECK(use.effective_bits.value() > 7.9);
  CHECK_FALSE(use.is_mostly_clipped);
  CHECK_FALSE(use.is_coarse);
  CHECK(std::abs(use.clipped_share - share) < 0.01);
}

TEST_CASE("numbers of any magnitude outside the range have finite figures", "[unit][arrays]") {
  const double far = GENERATE(1e30, 1e300, -1e300);
  const LevelUse use = use_of({0.0, 0.2, 0.3, 0.9, 1.0, far, 0.5 * far}, 0.0, 1.0);
  CHECK(std::isfinite(use.effective_bits.value()));
  CHECK(use.effective_bits.value() < 0.5);
}

TEST_CASE("counters add up to one in any order", "[unit][arrays]") {
  Random uniform;
  LevelCounter one, first, second;
  for (int i = 0; i < 1000; ++i) {
    const double number = uniform(-20.0, 300.0);
    const auto level = static_cast<std::uint8_t>(std::clamp(std::rint(number), 0.0, 255.0));
    one.add(level, number, number);
    (i % 3 == 0 ? first : second).add(level, number, number);
  }
  second.add(first);
  CHECK(second.use().effective_bits == one.use().effective_bits);
  CHECK(second.use().clipped_share == one.use().clipped_share);
}

TEST_CASE("numbers that all become one level are coarse unless they are equal", "[unit][arrays]") {
  Random uniform;
  const double unit = GENERATE(1e-4, 1e-9, 1e-30);
  const LevelUse use = use_of(made(1000, [&] { return uniform(0.0, unit); }), 0.0, 1.0);
  CHECK(use.is_coarse);
  CHECK(use.effective_bits.value() < 0.5);
  CHECK(use.better_percentile == 100.0);
  CHECK_FALSE(use_of(made(1000, [&] { return 0.5 + uniform(0.0, 1e-9); }), 0.0, 1.0).is_coarse);
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

TEST_CASE("a percentile that would take in the fill value again is not proposed", "[unit][arrays]") {
  Random uniform;
  const double share = GENERATE(0.0002, 0.02);
  const auto number = [&] { return uniform(0.0, 1.0) < share ? -9999.0 : uniform(235.0, 250.0); };
  const LevelUse use = use_of(made(100'000, number), 200.0, 2000.0);
  CHECK(keeps_little(use));
  CHECK(use.better_percentile.has_value() == (share < 0.001));
  CHECK(std::abs(use.median.value() - 242.5) < 8.0);
}

TEST_CASE("a byte keeps at most eight effective bits", "[unit][arrays]") {
  Random uniform;
  // Near both ends, as of a mask with some noise: the standard deviation is 0.48 of the range.
  const auto number = [&] { return (uniform(0.0, 1.0) < 0.5 ? 0.0 : 0.96) + uniform(0.0, 0.04); };
  const LevelUse use = use_of(made(10'000, number), 0.0, 1.0);
  CHECK(use.effective_bits == 8.0);
  // 1 / sqrt(12) / (0.48 * 255), which are 8.7 bits
  CHECK(std::abs(use.relative_error.value() - 0.00236) < 0.00005);
  CHECK_THAT(describe(use), ContainsSubstring("8.0 effective bits, error 0.2"));
}

TEST_CASE("the error with the clipped numbers is shown next to that without", "[unit][arrays]") {
  Random uniform;
  // A sum of 12 is nearly normal; 0.5 % at each end are outside.
  const auto numbers = made(50'000, [&] {
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) sum += uniform(-0.5, 0.5);
    return sum;
  });
  const LevelUse clipped = use_of(numbers, -2.5, 2.5), whole = use_of(numbers, -6.0, 6.0);
  CHECK(clipped.effective_bits.value() > whole.effective_bits.value());
  CHECK_FALSE(whole.relative_error_with_clipped);
  CHECK(clipped.relative_error_with_clipped.value() > 3.0 * whole.relative_error.value());
  double squares = 0.0, sum = 0.0;
  for (const double number : numbers) {
    const double level = std::clamp(std::rint((number + 2.5) * 51.0), 0.0, 255.0);
    squares += std::pow(level / 51.0 - 2.5 - number, 2.0), sum += number * number;
  }
  CHECK(std::abs(clipped.relative_error_with_clipped.value() / std::sqrt(squares / sum) - 1.0) < 0.05);
  CHECK(describe({.levels = 256,
                  .relative_error = 0.0057,
                  .effective_bits = 7.45,
                  .relative_error_with_clipped = 0.072,
                  .clipped_share = 0.02,
                  .channel = 2}) ==
        "worst channel 2: 256 of 256 levels used, 7.5 effective bits, error 0.57 % of the standard deviation, 7.2 % "
        "with the clipped values, 2 % of the values clipped");
  CHECK(describe({.levels = 256, .relative_error_with_clipped = 123.0, .clipped_share = 0.02}) ==
        "256 of 256 levels used, error over 10000 % of the standard deviation with the clipped values, 2 % of the "
        "values clipped");
}

TEST_CASE("equal numbers have no effective bits", "[unit][arrays]") {
  // 0.3013 is between two levels.
  for (const double number : {0.3, 0.3013}) {
    CHECK_FALSE(use_of({number, number, number}, 0.0, 1.0).effective_bits);
  }
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
