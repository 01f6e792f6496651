#include <octavo/doctor.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The summary of the finding on leaks, or nothing.
std::string leak_in(const PlainSplit& split) {
  for (const DoctorFinding& finding : examine(PackedFixture({split}).dataset()).findings) {
    if (finding.check == DoctorCheck::label_leak) return finding.summary;
  }
  return "";
}

}  // namespace

TEST_CASE("a pixel whose value tells the class is a leak", "[unit][doctor]") {
  PlainSplit train = random_split("train", 100, {3, 6, 6});  // labels are the row modulo 10
  CHECK(leak_in(train).empty());
  for (std::int64_t row = 0; row < 100; ++row) {
    train.values[static_cast<std::size_t>(row * 108 + 36 + 35)] = static_cast<std::uint8_t>(20 * (row % 10));
  }
  CHECK_THAT(leak_in(train), ContainsSubstring("all 100 samples of train show their class") &&
                                 ContainsSubstring("row 5, column 5 of channel 1 (10 values, "));
  train.values[99 * 108 + 36 + 35] = 0;  // the value of class 0
  CHECK(leak_in(train).empty());
}

TEST_CASE("images of one value for each class are a leak", "[unit][doctor]") {
  PlainSplit train{"train", {1, 4, 4}, {}, {}, 1};
  for (std::int64_t row = 0; row < 40; ++row) {
    train.labels.push_back(static_cast<std::int32_t>(row % 4));
    train.values.insert(train.values.end(), 16, static_cast<std::uint8_t>(row % 4));
  }
  CHECK_THAT(leak_in(train), ContainsSubstring("row 0, column 0 (4 values, "));
}

TEST_CASE("few samples with different values are not a leak", "[unit][doctor]") {
  const auto leak_in_samples = [](std::int64_t sample_count, std::int64_t value_count) {
    PlainSplit train{"train", {1, 1, 1}, {}, {}, 1};
    for (std::int64_t row = 0; row < sample_count; ++row) {
      train.labels.push_back(static_cast<std::int32_t>(row % value_count));
      train.values.push_back(static_cast<std::uint8_t>(row % value_count));
    }
    return leak_in(train);
  };
  CHECK(leak_in_samples(19, 2).empty());
  CHECK_FALSE(leak_in_samples(20, 2).empty());
  // Five for each value.
  CHECK(leak_in_samples(44, 9).empty());
  CHECK_FALSE(leak_in_samples(45, 9).empty());
}

TEST_CASE("a brightness that tells the class is a leak", "[unit][doctor]") {
  // Noise below 100 and above 150, so that no pixel tells the class by few values.
  PlainSplit train = random_split("train", 200, {1, 8, 8});
  for (std::size_t i = 0; i < train.values.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / 64;
    train.labels[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(row % 2);
    train.values[i] = static_cast<std::uint8_t>((row % 2 == 0 ? 0 : 150) + train.values[i] % 100);
  }
  CHECK_THAT(leak_in(train), ContainsSubstring("by their brightness alone"));
  std::fill_n(train.values.begin() + 64, 32, std::uint8_t{0});  // one sample of class 1 becomes darker
  std::fill_n(train.values.begin() + 96, 32, std::uint8_t{90});
  CHECK(leak_in(train).empty());
}

TEST_CASE("a leak is found in images with more values than are watched", "[unit][doctor]") {
  PlainSplit train = random_split("train", 40, {3, 80, 80});
  for (std::int64_t row = 0; row < 40; ++row) {
    train.values[static_cast<std::size_t>(row * 19200 + 79 * 80 + 79)] = static_cast<std::uint8_t>(row % 2);
    train.labels[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(row % 2);
  }
  CHECK_THAT(leak_in(train), ContainsSubstring("row 79, column 79 of channel 0"));
}
