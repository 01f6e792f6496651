// The layout of samples and lines on a sheet.
#include "view/sheet.hpp"

#include <octavo/errors.hpp>
#include <string>

#include "catch.hpp"

using namespace octavo;
using view::Sheet;

namespace {

/// The gray values of a sheet, one character each: '.' for a line, else the digit value / 10.
std::string drawing_of(const Sheet& sheet) {
  std::string text;
  for (std::size_t i = 0; i < sheet.values().size(); ++i) {
    const std::uint8_t value = sheet.values()[i];
    text += value == 96 ? '.' : static_cast<char>('0' + value / 10);
    if ((i + 1) % static_cast<std::size_t>(sheet.width()) == 0) text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("cells are arranged in rows with lines around them", "[unit][view]") {
  Sheet sheet({.sample = {1, 1, 2}, .count = 3, .columns = 2, .scale = 1});
  sheet.draw(0, std::vector<std::uint8_t>{10, 20});
  sheet.draw(1, std::vector<std::uint8_t>{30, 40});
  sheet.draw(2, std::vector<std::uint8_t>{50, 60});
  CHECK(drawing_of(sheet) ==
        ".......\n"
        ".12.34.\n"
        ".......\n"
        ".56....\n"
        ".......\n");
}

TEST_CASE("a value becomes a square of the given side", "[unit][view]") {
  Sheet sheet({.sample = {1, 2, 1}, .count = 1, .columns = 0, .scale = 2});
  sheet.draw(0, std::vector<std::uint8_t>{10, 20});
  CHECK(drawing_of(sheet) ==
        "....\n"
        ".11.\n"
        ".11.\n"
        ".22.\n"
        ".22.\n"
        "....\n");
}

TEST_CASE("three channels are drawn in color and otherwise only the first channel", "[unit][view]") {
  Sheet color({.sample = {3, 1, 1}, .count = 1, .columns = 1, .scale = 1});
  color.draw(0, std::vector<std::uint8_t>{1, 2, 3});
  REQUIRE(color.channels() == 3);
  // The center of 3x3 pixels.
  CHECK(std::vector<int>(color.values().begin() + 12, color.values().begin() + 15) == std::vector<int>{1, 2, 3});
  Sheet gray({.sample = {2, 1, 1}, .count = 1, .columns = 1, .scale = 1});
  gray.draw(0, std::vector<std::uint8_t>{10, 20});
  CHECK(drawing_of(gray) == "...\n.1.\n...\n");
}

TEST_CASE("a sheet is roughly square and small samples are magnified", "[unit][view]") {
  const Sheet sheet({.sample = {1, 8, 8}, .count = 100, .columns = 0, .scale = 0});
  CHECK(sheet.width() == 10 * 65 + 1);
  CHECK(sheet.height() == 10 * 65 + 1);
}

TEST_CASE("a sheet that is too large is refused", "[unit][view]") {
  CHECK_THROWS_AS(Sheet({.sample = {1, 1 << 14, 1 << 14}, .count = 1, .columns = 1, .scale = 1}), InvalidArgument);
  CHECK_THROWS_AS(Sheet({.sample = {1, 8, 8}, .count = 1, .columns = 1, .scale = std::int64_t{1} << 62}),
                  InvalidArgument);
  CHECK_THROWS_AS(Sheet({.sample = {1, 8, 8}, .count = 1, .columns = -1, .scale = 1}), InvalidArgument);
}
