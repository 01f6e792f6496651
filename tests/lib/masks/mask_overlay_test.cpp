// Masks drawn over images.
#include "view/mask_overlay.hpp"

#include <octavo/errors.hpp>
#include <set>

#include "catch.hpp"
#include "view/sheet.hpp"

using namespace octavo;

TEST_CASE("a mask tints the image in the color of each class", "[unit][masks]") {
  // One row of four gray pixels: background, class 1 (230,159,0), class 2 (86,180,233), and background.
  const std::vector<std::uint8_t> drawn =
      view::overlaid(std::vector<std::uint8_t>{10, 100, 100, 40}, {1, 1, 4}, std::vector<std::uint8_t>{0, 1, 2, 0});
  // (100 + 230 + 1) / 2 = 165, (100 + 86 + 1) / 2 = 93; (100 + 159 + 1) / 2 = 130, ...
  CHECK(drawn == std::vector<std::uint8_t>{10, 165, 93, 40, 10, 130, 140, 40, 10, 50, 167, 40});
}

TEST_CASE("pixels to ignore have black and white stripes", "[unit][masks]") {
  const std::vector<std::uint8_t> drawn =
      view::overlaid(std::vector<std::uint8_t>(8, 100), {1, 2, 4}, std::vector<std::uint8_t>(8, kIgnoredMaskValue));
  // (100 + 0 + 1) / 2 = 50 where (x + y) / 2 is even, else (100 + 255 + 1) / 2 = 178.
  const std::vector<std::uint8_t> plane = {50, 50, 178, 178, 50, 178, 178, 50};
  for (std::size_t i = 0; i < drawn.size(); ++i) CHECK(drawn[i] == plane[i % 8]);
}

TEST_CASE("all classes have different colors", "[unit][masks]") {
  std::set<MaskColor> colors;
  for (int value = 1; value <= 254; ++value) colors.insert(mask_color(value));
  CHECK(colors.size() == 254);
  for (const int value : {-1, 0, 255, 256}) CHECK_THROWS_AS(mask_color(value), InvalidArgument);
}

TEST_CASE("the legend is below the samples and has the color of each class", "[unit][masks]") {
  const std::vector<MaskShare> legend = {{0, "road", 3, 0.75}, {1, "", 1, 0.25}};
  view::Sheet sheet({.sample = {3, 20, 200}, .count = 1, .columns = 1, .scale = 1, .legend = legend});
  sheet.write_legend();
  const view::Sheet plain({.sample = {3, 20, 200}, .count = 1, .columns = 1, .scale = 1});
  REQUIRE(sheet.width() == plain.width());
  REQUIRE(sheet.height() == plain.height() + 10);  // one row of 9 pixels and a line
  const auto color_at = [&](std::int64_t x, std::int64_t y) {
    const auto* const pixel = sheet.values().data() + (y * sheet.width() + x) * 3;
    return MaskColor{pixel[0], pixel[1], pixel[2]};
  };
  // The first sign is at the left edge; its entry, "0 road  75.0 %", has 14 characters and 2 blanks of 6 pixels.
  const std::int64_t top = plain.height() + 1;
  CHECK(color_at(2, top) == MaskColor{192, 192, 192});
  CHECK(color_at(4, top + 2) == MaskColor{96, 96, 96});
  CHECK(color_at(2 + 10 + 16 * 6, top) == mask_color(1));
}

TEST_CASE("a legend that is too wide has several rows", "[unit][masks]") {
  const std::vector<MaskShare> legend = {{0, "road", 3, 0.75}, {1, "car", 1, 0.25}};
  const view::Sheet sheet({.sample = {3, 20, 110}, .count = 1, .columns = 1, .scale = 1, .legend = legend});
  CHECK(sheet.height() == 22 + 2 * 9 + 1);
}
