#include "arrays/value_range.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

/// A set of gray 1 x 2 images with these numbers.
template <typename Number>
ArraySet set_of(Element element, const std::vector<Number>& numbers) {
  ArraySet set;
  set.images = array_of(bytes_of_numbers(numbers), {.element = element, .axes = {std::ssize(numbers) / 2, 1, 2}});
  set.order = AxisOrder::hw;
  return set;
}

ChannelQuantization found(const ArraySet& set, const ValueRange& range = {}) {
  return find_quantization(numbers_of({&set}, 2), range).at(0);
}

}  // namespace

TEST_CASE("bytes and bools are stored unchanged", "[unit][arrays]") {
  CHECK(holds_bytes(*set_of<std::uint8_t>(Element::uint8, {1, 2}).images));
  CHECK(holds_bytes(*set_of<std::uint8_t>(Element::boolean, {1, 0}).images));
  CHECK_FALSE(holds_bytes(*set_of<std::int8_t>(Element::int8, {1, 2}).images));
}

TEST_CASE("numbers of a small range keep their values and others are scaled to their range", "[unit][arrays]") {
  const auto whole = found(set_of<std::int32_t>(Element::int32, {0, 255}));
  CHECK(whole.scale == 1.0);
  CHECK(whole.zero_point == 0.0);
  const auto moved = found(set_of<std::int32_t>(Element::int32, {-300, -100}));
  CHECK(moved.scale == 1.0);
  CHECK(moved.zero_point == -300.0);
  const auto share = found(set_of<float>(Element::float32, {0.25F, 0.5F}));
  CHECK(share.scale == 1.0 / 255.0);
  CHECK(share.zero_point == 0.0);
  // Bytes stored as floats, resized or not, come close to 255.
  const auto resized = found(set_of<float>(Element::float32, {0.25F, 200.5F}));
  CHECK(resized.scale == 1.0);
  CHECK(resized.zero_point == 0.0);
  // Meters, or fractions slightly above 1. Unscaled, they would become few distinct values.
  CHECK(found(set_of<float>(Element::float32, {0.0F, 5.1F})).scale == Approx(5.1 / 255.0));
  CHECK(found(set_of<float>(Element::float32, {0.0F, 1.02F})).scale == Approx(0.004));
  // 8-bit values, multiplied by 257 or shifted by 8 bits.
  CHECK(found(set_of<std::uint16_t>(Element::uint16, {257, 514})).scale == 257.0);
  CHECK(found(set_of<std::uint16_t>(Element::uint16, {256, 512})).scale == 256.0);
  CHECK(found(set_of<std::uint16_t>(Element::uint16, {256, 514})).scale == Approx(258.0 / 255.0));
  // -510 to 510 in 255 steps.
  const auto wide = found(set_of<std::int16_t>(Element::int16, {-510, 510}));
  CHECK(wide.scale == 4.0);
  CHECK(wide.zero_point == -510.0);
}

TEST_CASE("percentiles are found however far outliers are", "[unit][arrays]") {
  // Of 1,000 numbers, the lowest and highest 1 % are 0 to 9, and 990 to 998 with the outlier.
  const double outlier = GENERATE(2e3, 1e9, 1e15);
  std::vector<double> numbers(999);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  numbers.push_back(outlier);
  const auto map =
      found(set_of<double>(Element::float64, numbers), {.kind = ValueRange::Kind::percentile, .percentile = 99.0});
  CHECK(map.zero_point == Approx(10.0).margin(1.0));
  CHECK(map.zero_point + 255.0 * map.scale == Approx(989.0).margin(1.0));
}

TEST_CASE("NaN and infinity are skipped and having no number at all is an error", "[unit][arrays]") {
  const auto some = found(set_of<float>(Element::float32, {NAN, INFINITY, -2.0F, 8.0F}));
  CHECK(some.scale == 10.0 / 255.0);
  CHECK(some.zero_point == -2.0);
  CHECK_THROWS_WITH(found(set_of<float>(Element::float32, {NAN, INFINITY})), ContainsSubstring("no finite number"));
  CHECK_THROWS_WITH(found(set_of<double>(Element::float64, {-1e308, 1e308})), ContainsSubstring("too large"));
}

TEST_CASE("an invalid range is refused", "[unit][arrays]") {
  const auto set = set_of<std::int16_t>(Element::int16, {0, 1});
  CHECK_THROWS_AS(found(set, {.kind = ValueRange::Kind::given, .low = 1.0, .high = 1.0}), InvalidArgument);
  CHECK_THROWS_AS(found(set, {.kind = ValueRange::Kind::percentile, .percentile = 50.0}), InvalidArgument);
  const auto given = found(set, {.kind = ValueRange::Kind::given, .low = -255.0, .high = 255.0});
  CHECK(given.scale == 2.0);
  CHECK(given.zero_point == -255.0);
}
