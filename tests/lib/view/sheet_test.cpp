// The layout of samples and lines on a sheet.
#include "view/sheet.hpp"

#include <algorithm>
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

TEST_CASE("a caption has the class name and, if there is room, the index", "[unit][view]") {
  // Characters have 6 pixels, and the margins 3: three of them have room in 24 pixels, two in 15.
  Sheet wide({.sample = {1, 1, 24}, .count = 1, .columns = 1, .scale = 1, .has_captions = true});
  wide.draw(0, std::vector<std::uint8_t>(24, 10));
  wide.write(0, {"A", 7});
  CHECK(drawing_of(wide) ==
        "..........................\n"
        ".111111111111111111111111.\n"
        "..........................\n"
        "...III...........CCCCC....\n"
        "..I...I..............C....\n"
        "..I...I.............C.....\n"
        "..IIIII............C......\n"
        "..I...I...........C.......\n"
        "..I...I...........C.......\n"
        "..I...I...........C.......\n"
        "..........................\n"
        "..........................\n");
  Sheet narrow({.sample = {1, 1, 15}, .count = 1, .columns = 1, .scale = 1, .has_captions = true});
  narrow.draw(0, std::vector<std::uint8_t>(15, 10));
  narrow.write(0, {"L!x", 7});
  CHECK(drawing_of(narrow) ==
        ".................\n"
        ".111111111111111.\n"
        ".................\n"
        "..I.......I......\n"
        "..I.......I......\n"
        "..I.......I......\n"
        "..I.......I......\n"
        "..I.......I......\n"
        "..I..............\n"
        "..IIIII...I......\n"
        ".................\n"
        ".................\n");
}

TEST_CASE("captions are below their own samples", "[unit][view]") {
  Sheet sheet({.sample = {3, 1, 9}, .count = 4, .columns = 2, .scale = 1, .has_captions = true});
  // Lines, and per row a sample of one pixel and a caption of nine.
  REQUIRE(sheet.width() == 2 * 10 + 1);
  REQUIRE(sheet.height() == 2 * 11 + 1);
  sheet.write(3, {"I", 0});
  const auto level = [&](std::int64_t x, std::int64_t y) {
    return int{sheet.values()[static_cast<std::size_t>(3 * (y * sheet.width() + x))]};
  };
  // The stem of the I is in the middle of its character, a pixel below the last sample and right of its edge.
  CHECK(level(1 + 10 + 1 + 2, 1 + 11 + 2 + 3) == 255);
  CHECK(level(1 + 1 + 2, 1 + 11 + 2 + 3) == 96);
  CHECK(level(1 + 10 + 1 + 2, 1 + 2 + 3) == 96);
}

TEST_CASE("cells that are too narrow for a character have no captions", "[unit][view]") {
  Sheet sheet({.sample = {1, 1, 8}, .count = 3, .columns = 3, .scale = 1, .has_captions = true});
  sheet.write(2, {"cat", 2});
  CHECK(sheet.height() == 3);
  CHECK(std::ranges::all_of(sheet.values(), [](std::uint8_t value) { return value == 96; }));
}

TEST_CASE("captions of wide cells are enlarged", "[unit][view]") {
  const Sheet sheet({.sample = {1, 1, 320}, .count = 1, .columns = 1, .scale = 1, .has_captions = true});
  CHECK(sheet.height() == 3 + 2 * 9);
}

TEST_CASE("a caption is cut to the characters that fit", "[unit][view]") {
  const auto fitted = [](const std::string& name, std::int64_t room) {
    const view::CaptionLine line = view::fit_caption({name, 42}, room);
    return line.left + "|" + line.right;
  };
  CHECK(fitted("airplane", 20) == "airplane|42");
  CHECK(fitted("airplane", 11) == "airplane|42");
  CHECK(fitted("airplane", 10) == "airplane|");
  CHECK(fitted("airplane", 3) == "air|");
  CHECK(fitted("airplane", 0) == "|");
  CHECK(fitted("", 2) == "|42");
  CHECK(fitted("", 1) == "|");
  // One box for each character that is not printable ASCII, whatever its number of bytes.
  CHECK(fitted("k\u00e4fer\n", 20) ==
        "k\x7F"
        "fer\x7F|42");
}
