#include <octavo/content.hpp>

#include <numeric>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void fill_sample(PlainSplit& split, std::int64_t row, std::uint8_t value) {
  const auto width = split.shape.values();
  std::fill_n(split.values.begin() + row * width, width, value);
}

}  // namespace

TEST_CASE("a survey counts classes and brightness and finds blank samples", "[unit][report]") {
  const TemporaryFolder folder;
  PlainSplit train = random_split("train", 500, {3, 5, 7}, 1);  // labels are the row modulo 10
  fill_sample(train, 20, 0);
  fill_sample(train, 30, 255);
  // The darkest and the brightest sample that are not blank.
  fill_sample(train, 40, 0);
  train.values[40 * 105] = 1;
  fill_sample(train, 50, 255);
  train.values[50 * 105 + 104] = 254;
  // Blank in each channel.
  for (std::int64_t i = 0; i < 105; ++i) {
    train.values[static_cast<std::size_t>(60 * 105 + i)] = static_cast<std::uint8_t>(100 + i / 35);
  }
  write_packed(folder / "a.h5", {train});
  std::int64_t reported = 0;
  const SplitContent content = survey_content(Dataset::open(folder / "a.h5").split("train"),
                                              [&](const Progress& progress) { reported = progress.done_samples; });
  CHECK(reported == 500);
  CHECK(content.class_counts.size() == 10);
  CHECK(content.class_counts.at(3) == 50);
  CHECK(content.blank_count == 3);
  CHECK(content.first_blank == std::vector<std::int64_t>{20, 30, 60});
  CHECK(std::accumulate(content.brightness.begin(), content.brightness.end(), std::int64_t{0}) == 500);
  CHECK(content.brightness.front() == 2);
  CHECK(content.brightness.back() == 2);
  REQUIRE(content.darkest.size() == 8);
  CHECK(content.darkest.front().row == 40);
  CHECK_THAT(content.darkest.front().mean, Catch::Matchers::WithinRel(1.0 / 105, 1e-6));
  CHECK(content.brightest.front().row == 50);
  CHECK(content.brightest[1].mean >= content.brightest[2].mean);
}

TEST_CASE("examples are spread over the rows of each class", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 500, {1, 2, 2})});
  const auto rows = example_rows(Dataset::open(folder / "a.h5").split("train"), 5);
  REQUIRE(rows.size() == 10);
  CHECK(rows.at(7) == std::vector<std::int64_t>{7, 107, 207, 307, 407});
}
