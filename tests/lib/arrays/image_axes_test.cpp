#include "arrays/image_axes.hpp"

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

namespace {

ImageAxes axes_of(std::vector<std::int64_t> axes, AxisOrder order = AxisOrder::found) {
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= axis;
  return image_axes(*array_of(std::string(static_cast<std::size_t>(count), '\0'), {.axes = std::move(axes)}), order);
}

}  // namespace

TEST_CASE("axes of length 1 or 3 or 4 are read as channels", "[unit][arrays]") {
  CHECK(axes_of({2, 5, 6}).shape == SampleShape{1, 5, 6});
  CHECK(axes_of({2, 5, 6, 3}).shape == SampleShape{3, 5, 6});
  CHECK(axes_of({2, 3, 5, 6}).shape == SampleShape{3, 5, 6});
  CHECK(axes_of({2, 1, 5, 1}).shape == SampleShape{1, 1, 5});
  CHECK(axes_of({2, 4, 5, 4}).shape == SampleShape{4, 4, 5});
}

TEST_CASE("ambiguous and impossible axes are refused", "[unit][arrays]") {
  CHECK_THROWS_WITH(axes_of({2, 5, 3}), ContainsSubstring("one image or many"));
  CHECK_THROWS_WITH(axes_of({2, 3, 5, 4}), ContainsSubstring("second or the last"));
  CHECK_THROWS_WITH(axes_of({2, 5, 5, 5}), ContainsSubstring("neither"));
  CHECK_THROWS_WITH(axes_of({2, 5}), ContainsSubstring("3 axes"));
  CHECK_THROWS_WITH(axes_of({2, 5, 5}, AxisOrder::chw), ContainsSubstring("requires 4 axes"));
}

TEST_CASE("MATLAB's axes are read in reverse and refused if they look like another order", "[unit][arrays]") {
  const auto reversed = [](std::vector<std::int64_t> axes) {
    return axes_of(std::move(axes), AxisOrder::found_reversed);
  };
  CHECK(reversed({7, 3, 6, 5}).shape == SampleShape{3, 5, 6});
  CHECK(reversed({1, 3, 6, 5}).shape == SampleShape{3, 5, 6});
  CHECK(reversed({7, 6, 5}).shape == SampleShape{1, 5, 6});
  CHECK(reversed({5, 5, 5}).shape == SampleShape{1, 5, 5});
  CHECK_THROWS_WITH(reversed({3, 6, 5}),
                    ContainsSubstring("their shape in MATLAB is 5 x 6 x 3, which may be one image"));
  CHECK_THROWS_WITH(reversed({3, 6, 5, 7}), ContainsSubstring("7 x 5 x 6 x 3, and the third axis does not have"));
  CHECK_THROWS_WITH(reversed({6, 5}), ContainsSubstring("3 axes (H, W, N)"));
}

TEST_CASE("the strides of an axis order lead to each number of an image", "[unit][arrays]") {
  // For [N, H=2, W=3, C=4] and its other orders: the position of channel c, row y, column x.
  const auto at = [](const ImageAxes& axes, int c, int y, int x) {
    return c * axes.channel_step + y * axes.row_step + x * axes.column_step;
  };
  CHECK(at(axes_of({1, 2, 3, 4}, AxisOrder::hwc), 3, 1, 2) == (1 * 3 + 2) * 4 + 3);
  CHECK(at(axes_of({1, 4, 2, 3}, AxisOrder::chw), 3, 1, 2) == (3 * 2 + 1) * 3 + 2);
  CHECK(at(axes_of({1, 4, 3, 2}, AxisOrder::cwh), 3, 1, 2) == (3 * 3 + 2) * 2 + 1);
  CHECK(at(axes_of({1, 3, 2, 4}, AxisOrder::whc), 3, 1, 2) == (2 * 2 + 1) * 4 + 3);
  CHECK(axes_of({1, 3, 2, 4}, AxisOrder::whc).shape == SampleShape{4, 2, 3});
  CHECK(at(axes_of({1, 3, 2}, AxisOrder::wh), 0, 1, 2) == 2 * 2 + 1);
  CHECK(axes_of({1, 4, 2, 3}, AxisOrder::chw).is_planar());
  CHECK_FALSE(axes_of({1, 2, 3, 4}, AxisOrder::hwc).is_planar());
  CHECK_FALSE(axes_of({1, 3, 2}, AxisOrder::wh).is_planar());
}
