#include <octavo/doctor.hpp>

#include <numeric>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void fill_sample(PlainSplit& split, std::int64_t row, std::uint8_t value) {
  const auto width = split.shape.values();
  std::fill_n(split.values.begin() + row * width, width, value);
}

SplitContent content_of(const PlainSplit& split) {
  return examine(PackedFixture({split}).dataset(), {.example_count = 4}).contents.at(0);
}

}  // namespace

TEST_CASE("a survey counts classes and brightness and finds blank samples", "[unit][doctor]") {
  PlainSplit train = random_split("train", 500, {3, 5, 7}, 1);  // labels are the row modulo 10
  fill_sample(train, 20, 0);
  fill_sample(train, 30, 255);
  // The darkest and the brightest sample that are not blank: with a range of 5 they are not faint either.
  fill_sample(train, 40, 0);
  train.values[40 * 105] = 5;
  fill_sample(train, 50, 255);
  train.values[50 * 105 + 104] = 250;
  // Blank in each channel.
  for (std::int64_t i = 0; i < 105; ++i) {
    train.values[static_cast<std::size_t>(60 * 105 + i)] = static_cast<std::uint8_t>(100 + i / 35);
  }
  // Faint: the second channel has a range of 4.
  fill_sample(train, 70, 90);
  train.values[70 * 105 + 36] = 94;
  const SplitContent content = content_of(train);
  CHECK(content.class_counts.size() == 10);
  CHECK(content.class_counts.at(3) == 50);
  CHECK(content.blank_count == 3);
  CHECK(content.faint_count == 1);
  CHECK(content.first_blank == std::vector<std::int64_t>{20, 30, 60, 70});
  CHECK(std::accumulate(content.brightness.begin(), content.brightness.end(), std::int64_t{0}) == 500);
  CHECK(content.brightness.front() == 2);
  CHECK(content.brightness.back() == 2);
  REQUIRE(content.darkest.size() == 8);
  CHECK(content.darkest.front().row == 40);
  CHECK_THAT(content.darkest.front().mean, Catch::Matchers::WithinRel(5.0 / 105, 1e-6));
  CHECK(content.brightest.front().row == 50);
  CHECK(content.brightest[1].mean >= content.brightest[2].mean);
}

TEST_CASE("the means and contrasts of the samples are measured in each channel", "[unit][doctor]") {
  // Channel 0: the samples 0 0 and 10 10. Channel 1: 0 2 and 0 6, whose standard deviations are 1 and 3.
  PlainSplit train{"train", {2, 1, 2}, {0, 0, 0, 2, 10, 10, 0, 6}, {0, 1}, 1};
  const SplitContent content = content_of(train);
  REQUIRE(content.means.size() == 2);
  CHECK(content.means[0].mean == 5.0);
  CHECK(content.means[0].standard_deviation == 5.0);
  CHECK(content.means[1].mean == 2.0);
  CHECK(content.means[1].standard_deviation == 1.0);
  CHECK(content.contrasts[0].mean == 0.0);
  CHECK(content.contrasts[1].mean == 2.0);
  CHECK(content.contrasts[1].standard_deviation == 1.0);
}

TEST_CASE("a sample three interquartile ranges beyond the others has an unusual brightness", "[unit][doctor]") {
  // Means of 100 to 119: the quartiles of the 21 samples are 105 and 115, so the fences are 75 and 145.
  PlainSplit train{"train", {1, 1, 2}, {}, {}, 1};
  for (std::uint8_t i = 0; i < 20; ++i) {
    train.values.insert(train.values.end(), {static_cast<std::uint8_t>(90 + i), static_cast<std::uint8_t>(110 + i)});
    train.labels.push_back(0);
  }
  train.labels.push_back(0);
  PlainSplit far = train;
  train.values.insert(train.values.end(), {140, 150});  // mean 145
  far.values.insert(far.values.end(), {141, 151});      // mean 146
  CHECK(content_of(train).far_brightness_count == 0);
  const SplitContent content = content_of(far);
  CHECK(content.far_brightness_count == 1);
  REQUIRE(content.first_far_brightness.size() == 1);
  CHECK(content.first_far_brightness[0].row == 20);
}
