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
                    const LabelRules& rules = {}) {
  const std::int64_t count = axes[0];
  const auto array = array_of(bytes_of_numbers(numbers), {.element = element, .axes = std::move(axes)});
  return read_labels(*array, rules, count);
}

std::vector<std::int32_t> classes_in(const LabelTable& table) { return numbers_in<std::int32_t>(table.labels); }

}  // namespace

TEST_CASE("one whole number per image is a class", "[unit][arrays]") {
  const auto table = table_of<std::int64_t>(Element::int64, {0, 7, INT32_MAX}, {3});
  CHECK(table.layout == LabelLayout{LabelKind::class_index, 1});
  CHECK(numbers_in<std::int32_t>(table.labels) == std::vector<std::int32_t>{0, 7, INT32_MAX});
  CHECK(table_of<std::uint8_t>(Element::uint8, {5, 6}, {2, 1, 1}).layout == LabelLayout{LabelKind::class_index, 1});
  CHECK(table_of<std::uint8_t>(Element::uint8, {5, 6}, {2, 1, 1, 1}).layout == LabelLayout{LabelKind::class_index, 1});
  const auto one = table_of<std::uint8_t>(Element::uint8, {1, 10}, {2}, {LabelNumbering::from_one});
  CHECK(classes_in(one) == std::vector<std::int32_t>{0, 9});
}

TEST_CASE("a row with a number for each image is as good as a column", "[unit][arrays]") {
  const auto array = array_of(std::string("\3\1\2", 3), {.axes = {1, 3}});
  CHECK(classes_in(read_labels(*array, {}, 3)) == std::vector<std::int32_t>{3, 1, 2});
  CHECK(read_labels(*array, {}, 1).layout == LabelLayout{LabelKind::target, 3});
  CHECK_THROWS_WITH(read_labels(*array, {}, 2), ContainsSubstring("there are 2 images"));
}

TEST_CASE("ten is zero only if the classes are exactly 1 to 10", "[unit][arrays]") {
  const auto labels_of = [](const std::vector<std::uint8_t>& numbers) {
    return table_of(Element::uint8, numbers, {std::ssize(numbers)}, {LabelNumbering::svhn_digits});
  };
  const auto digits = labels_of({10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(digits.is_ten_zero);
  CHECK(classes_in(digits) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0});
  for (const std::vector<std::uint8_t>& others : {std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                                                  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                                  {1, 2, 3, 4, 5, 6, 7, 8, 10}}) {
    const auto table = labels_of(others);
    CHECK_FALSE(table.is_ten_zero);
    CHECK(classes_in(table) == std::vector<std::int32_t>(others.begin(), others.end()));
  }
}

TEST_CASE("a class of -1 and a target of NaN mark samples without a label", "[unit][arrays]") {
  const auto classes = table_of<std::int64_t>(Element::int64, {0, -1, 2, 10, -1}, {5});
  CHECK(classes.layout == LabelLayout{LabelKind::class_index, 1});
  CHECK(classes_in(classes) == std::vector<std::int32_t>{0, 0, 2, 10, 0});
  REQUIRE(classes.unlabeled.size() == 2);
  CHECK(classes.unlabeled[0].row == 1);
  CHECK(classes.unlabeled[0].reason == "its label is missing (-1)");
  CHECK(classes.unlabeled[1].row == 4);
  const auto targets = table_of<float>(Element::float32, {0.5F, 1, NAN, NAN, 2, -1}, {3, 2});
  REQUIRE(targets.unlabeled.size() == 1);
  CHECK(targets.unlabeled[0].row == 1);
  CHECK(targets.unlabeled[0].reason == "its label is missing (NaN)");
  CHECK(numbers_in<float>(targets.labels) == std::vector<float>{0.5F, 1, 0, 0, 2, -1});
  // Of several numbers, -1 is a number.
  CHECK(table_of<std::int8_t>(Element::int8, {-1, 1}, {1, 2}).unlabeled.empty());
}

TEST_CASE("class numbers below -1 or beyond 31 bits are refused with an example", "[unit][arrays]") {
  CHECK_THROWS_WITH(table_of<std::int64_t>(Element::int64, {0, -2}, {2}), ContainsSubstring("label 1 is -2, which is"));
  CHECK_THROWS_WITH(table_of<std::int64_t>(Element::int64, {std::int64_t{1} << 31}, {1}),
                    ContainsSubstring("label 0 is 2147483648, which is not a class number from 0 to 2147483647"));
  // As signed numbers, these are -1 and the smallest.
  CHECK_THROWS_AS(table_of<std::uint64_t>(Element::uint64, {0, UINT64_MAX}, {2}), FormatError);
  CHECK_THROWS_AS(table_of<std::uint64_t>(Element::uint64, {0, std::uint64_t{1} << 63}, {2}), FormatError);
  CHECK_THROWS_WITH(table_of<std::uint8_t>(Element::uint8, {0}, {1}, {LabelNumbering::from_one}),
                    ContainsSubstring("label 0 is 0, which is not a class number from 1"));
}

TEST_CASE("several bits are multi-labels and other numbers are targets", "[unit][arrays]") {
  const auto bits = table_of<std::uint8_t>(Element::boolean, {0, 1, 1, 1}, {2, 2});
  CHECK(bits.layout == LabelLayout{LabelKind::multi_label, 2});
  CHECK(numbers_in<std::int32_t>(bits.labels) == std::vector<std::int32_t>{0, 1, 1, 1});
  const auto targets = table_of<float>(Element::float32, {0.5F, -1.0F}, {2});
  CHECK(targets.layout == LabelLayout{LabelKind::target, 1});
  CHECK(numbers_in<float>(targets.labels) == std::vector<float>{0.5F, -1.0F});
  CHECK(table_of<std::uint8_t>(Element::uint8, {0, 2}, {1, 2}).layout == LabelLayout{LabelKind::target, 2});
  CHECK_THROWS_WITH(table_of<float>(Element::float32, {0, INFINITY}, {2}), ContainsSubstring("label 1 is inf"));
  CHECK_THROWS_WITH(table_of<double>(Element::float64, {1e300}, {1}), ContainsSubstring("label 0 is 1e+300"));
}

TEST_CASE("MATLAB's whole numbers are classes although they are stored as floats", "[unit][arrays]") {
  const LabelRules matlab = {.are_whole_labels_classes = true};
  const auto classes = table_of<double>(Element::float64, {1, 12, NAN}, {3}, matlab);
  CHECK(classes.layout == LabelLayout{LabelKind::class_index, 1});
  CHECK(classes_in(classes) == std::vector<std::int32_t>{1, 12, 0});
  CHECK(classes.unlabeled.size() == 1);
  CHECK(table_of<double>(Element::float64, {1, 0.5}, {2}, matlab).layout == LabelLayout{LabelKind::target, 1});
  CHECK(table_of<double>(Element::float64, {1, 0}, {1, 2}, matlab).layout == LabelLayout{LabelKind::multi_label, 2});
  CHECK(table_of<double>(Element::float64, {1, 2}, {2}).layout == LabelLayout{LabelKind::target, 1});
}

TEST_CASE("the wanted kind decides what numbers are", "[unit][arrays]") {
  const auto targets = table_of<std::int8_t>(Element::int8, {3, -1}, {2}, {.wanted = LabelKind::target});
  CHECK(targets.layout == LabelLayout{LabelKind::target, 1});
  CHECK(numbers_in<float>(targets.labels) == std::vector<float>{3, -1});
  const LabelRules classes = {.wanted = LabelKind::class_index};
  CHECK(classes_in(table_of<float>(Element::float32, {3, 0}, {2}, classes)) == std::vector<std::int32_t>{3, 0});
  CHECK_THROWS_WITH(table_of<float>(Element::float32, {0.5F}, {1}, classes), ContainsSubstring("label 0 is 0.5"));
}

TEST_CASE("a wrong number of labels and three axes and too many labels per image are refused", "[unit][arrays]") {
  const auto array = array_of("abc", {.axes = {3}});
  CHECK_THROWS_WITH(read_labels(*array, {}, 4), ContainsSubstring("there are 3"));
  CHECK_THROWS_WITH(table_of<std::uint8_t>(Element::uint8, {1, 2, 3, 4}, {1, 2, 2}), ContainsSubstring("one axis"));
  const std::int64_t wide = (std::int64_t{1} << 20) + 1;
  CHECK_THROWS_WITH(table_of(Element::uint8, std::vector<std::uint8_t>(static_cast<std::size_t>(wide)), {1, wide}),
                    ContainsSubstring("at most 1048576"));
}
