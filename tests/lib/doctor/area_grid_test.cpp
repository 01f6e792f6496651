#include "doctor/copies/area_grid.hpp"

#include "catch.hpp"

using octavo::doctor::AreaGrid;

namespace {

std::vector<float> averaged(const std::vector<float>& plane, std::int64_t height, std::int64_t width, std::int64_t rows,
                            std::int64_t columns) {
  std::vector<float> cells(static_cast<std::size_t>(rows * columns)), strips;
  AreaGrid(height, width, rows, columns).average(std::span<const float>(plane), cells, strips);
  return cells;
}

void check_close(const std::vector<float>& values, const std::vector<float>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK_THAT(values[i], Catch::Matchers::WithinAbs(expected[i], 1e-4));
}

}  // namespace

TEST_CASE("a cell is the mean of its pixels, by area", "[unit][doctor]") {
  check_close(averaged({1, 2, 3, 4, 5, 6, 7, 8}, 2, 4, 1, 2), {3.5F, 5.5F});
  // Three pixels on two cells of 1.5 pixels: (1 + 2/2) / 1.5 and (2/2 + 6) / 1.5.
  check_close(averaged({1, 2, 6}, 1, 3, 1, 2), {4.0F / 3, 14.0F / 3});
  check_close(averaged({1, 2, 6}, 3, 1, 2, 1), {4.0F / 3, 14.0F / 3});
}

TEST_CASE("a grid may be finer than the image", "[unit][doctor]") {
  // Two pixels on three cells: the middle one has half of each.
  check_close(averaged({2, 4}, 1, 2, 1, 3), {2.0F, 3.0F, 4.0F});
  check_close(averaged({5}, 1, 1, 2, 2), {5, 5, 5, 5});
}
