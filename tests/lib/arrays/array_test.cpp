#include "arrays/array.hpp"

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

TEST_CASE("an array knows the bytes of its rows", "[unit][arrays]") {
  const auto array = array_of(counting(48), {.element = Element::uint16, .axes = {4, 2, 3}});
  CHECK(array->row_count() == 4);
  CHECK(array->row_bytes() == 12);
  CHECK(axes_text(array->axes()) == "4 x 2 x 3");
  CHECK(axes_text({}).empty());
}

TEST_CASE("an array without axes or with an empty axis or beyond 63 bits is refused by name", "[unit][arrays]") {
  const auto refused = [](std::vector<std::int64_t> axes) {
    try {
      array_of("abcd", {.axes = std::move(axes)});
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refused({}), ContainsSubstring("read \"a\": its shape is empty"));
  CHECK_THAT(refused({4, 0}), ContainsSubstring("4 x 0, so it holds nothing"));
  CHECK_THAT(refused({-1}), ContainsSubstring("holds nothing"));
  // 2^62 x 2 bytes are one more than 63 bits can count.
  CHECK_THAT(refused({std::int64_t{1} << 62, 2}), ContainsSubstring("which no file can hold"));
  CHECK(refused({4}) == "accepted");
}

TEST_CASE("numbers in memory form an array of one axis", "[unit][arrays]") {
  const auto array = array_in_memory("labels", {5, -1, 7});
  CHECK(array->element() == Element::int64);
  CHECK(array->is_random_access());
  CHECK(numbers_in<std::int64_t>(rows(*array, 1, 2)) == std::vector<std::int64_t>{-1, 7});
}
