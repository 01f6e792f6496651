#include "arrays/label_array.hpp"

#include <cmath>

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

template <typename Number>
LabelTable table_of(Element element, const std::vector<Number>& numbers, std::vector<std::int64_t> axes,
                    LabelNumbering numbering = LabelNumbering::from_zero) {
  const std::int64_t count = axes[0];
  const auto array = array_of(bytes_of_numbers(numbers), {.element = element, .axes = std::move(axes)});
  return read_labels(*array, numbering, count);
}

}  // namespace

TEST_CASE("one whole number per image is a class", "[unit][arrays]") {
  const auto table = table_of<std::int64_t>(Element::int64, {0, 7, INT32_MAX}, {3});
  CHECK(table.layout == LabelLayout{LabelKind::class_index, 1});
  CHECK(numbers_in<std::int32_t>(table.labels) == std::vector<std::int32_t>{0, 7, INT32_MAX});
  CHECK(table_of<std::uint8_t>(Element::uint8, {5, 6}, {2, 1, 1}).layout == LabelLayout{LabelKind::class_index, 1});
  const auto one = table_of<std::uint8_t>(Element::uint8, {1, 10}, {2}, LabelNumbering::from_one);
  CHECK(numbers_in<std::int32_t>(one.labels) == std::vector<std::int32_t>{0, 9});
  const auto digits = table_of<std::uint8_t>(Element::uint8, {1, 10}, {2}, LabelNumbering::ten_is_zero);
  CHECK(numbers_in<std::int32_t>(digits.labels) == std::vector<std::int32_t>{1, 0});
}

TEST_CASE("class numbers below 0 or beyond 31 bits are refused with their row number", "[unit][arrays]") {
  CHECK_THROWS_WITH(table_of<std::int64_t>(Element::int64, {0, -1}, {2}), ContainsSubstring("label 1 is not a class"));
  CHECK_THROWS_AS(table_of<std::int64_t>(Element::int64, {std::int64_t{1} << 31}, {1}), FormatError);
  CHECK_THROWS_AS(table_of<std::uint8_t>(Element::uint8, {0}, {1}, LabelNumbering::from_one), FormatError);
}

TEST_CASE("several bits are multi-labels and other numbers are targets", "[unit][arrays]") {
  const auto bits = table_of<std::uint8_t>(Element::boolean, {0, 1, 1, 1}, {2, 2});
  CHECK(bits.layout == LabelLayout{LabelKind::multi_label, 2});
  CHECK(numbers_in<std::int32_t>(bits.labels) == std::vector<std::int32_t>{0, 1, 1, 1});
  const auto targets = table_of<float>(Element::float32, {0.5F, -1.0F}, {2});
  CHECK(targets.layout == LabelLayout{LabelKind::target, 1});
  CHECK(numbers_in<float>(targets.labels) == std::vector<float>{0.5F, -1.0F});
  CHECK(table_of<std::uint8_t>(Element::uint8, {0, 2}, {1, 2}).layout == LabelLayout{LabelKind::target, 2});
  CHECK_THROWS_WITH(table_of<float>(Element::float32, {NAN}, {1}), ContainsSubstring("NaN"));
}

TEST_CASE("a wrong number of labels and three axes and too many labels per image are refused", "[unit][arrays]") {
  const auto array = array_of("abc", {.axes = {3}});
  CHECK_THROWS_WITH(read_labels(*array, LabelNumbering::from_zero, 4), ContainsSubstring("there are 3"));
  CHECK_THROWS_WITH(table_of<std::uint8_t>(Element::uint8, {1, 2, 3, 4}, {1, 2, 2}), ContainsSubstring("one axis"));
  const std::int64_t wide = (std::int64_t{1} << 20) + 1;
  CHECK_THROWS_WITH(table_of(Element::uint8, std::vector<std::uint8_t>(static_cast<std::size_t>(wide)), {1, wide}),
                    ContainsSubstring("at most 1048576"));
}
