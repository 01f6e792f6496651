#include "images/jpeg_decoder.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "damage.hpp"
#include "images/color.hpp"
#include "made_images.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

bool is_near(std::span<const std::uint8_t> values, const Values& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(values[i] - expected[i]) > 2) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("gray and RGB JPEGs are decoded whether baseline or progressive", "[unit][image]") {
  const auto gray = decoded(made_jpeg(two_halves(50, 200)));
  CHECK(gray.channels == 1);
  CHECK(gray.width == 16);
  CHECK(is_near(gray.values, {50}));
  CHECK(is_near(std::span(gray.values).last(1), {200}));
  MadeJpeg made = flat({200, 100, 50});
  CHECK(is_near(decoded(made_jpeg(made)).values, {200, 100, 50}));
  made.is_progressive = true;
  CHECK(is_near(decoded(made_jpeg(made)).values, {200, 100, 50}));
}

TEST_CASE("CMYK inks become RGB and Adobe's marker inverts them", "[unit][image]") {
  // Inks 0, 51, 102 of 255 and black 127 leave 128 of light: 128, 128 - 128/5 = 102.4, 128 - 256/5 = 76.8.
  MadeJpeg made = flat({0, 51, 102, 127});
  CHECK(is_near(decoded(made_jpeg(made)).values, {128, 102, 77}));
  made = flat({255, 204, 153, 128});
  made.with_adobe_marker = true;
  CHECK(is_near(decoded(made_jpeg(made)).values, {128, 102, 77}));
}

TEST_CASE("the color formulas round as documented", "[unit][image]") {
  CHECK(images::luma(255, 255, 255) == 255);
  CHECK(images::luma(0, 255, 0) == 150);  // 38470 * 255 + 32768 = 9842618; / 65536 = 150.2
  CHECK(images::multiply_255(255, 255) == 255);
  CHECK(images::multiply_255(1, 127) == 0);  // 0.498
  CHECK(images::multiply_255(1, 128) == 1);  // 0.502
  CHECK(images::ink_to_light(255, 0) == 0);
  CHECK(images::ink_to_light(0, 255) == 0);
  for (int value = 0; value < 256; ++value) CHECK(images::narrow_16(value * 257) == value);
}

TEST_CASE("a JPEG is rotated by its EXIF orientation", "[unit][image]") {
  // Stored: left half dark (D), right half light (L), wider than high. The resulting corners (top left, top right,
  // bottom left, bottom right) follow from the definition of each orientation.
  const std::string corners[] = {"DLDL", "LDLD", "LDLD", "DLDL", "DDLL", "DDLL", "LLDD", "LLDD"};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    MadeJpeg made = two_halves(10, 240);
    made.orientation = orientation;
    const std::string file = made_jpeg(made);
    const auto pixels = decoded(file);
    CHECK(pixels.width == (orientation >= 5 ? 8 : 16));
    const auto corner = [&](bool right, bool below) {
      const auto at = (below ? pixels.height - 1 : 0) * pixels.width + (right ? pixels.width - 1 : 0);
      return pixels.values[static_cast<std::size_t>(at)] < 128 ? 'D' : 'L';
    };
    const std::string seen = {corner(false, false), corner(true, false), corner(false, true), corner(true, true)};
    CHECK(seen == corners[orientation - 1]);
    CHECK(images::parse_header(bytes_of(file), true)->width == pixels.width);
  }
}

TEST_CASE("a JPEG truncated anywhere is refused", "[unit][image]") {
  for (const bool is_progressive : {false, true}) {
    MadeJpeg made = two_halves(50, 200);
    made.is_progressive = is_progressive;
    const std::string file = made_jpeg(made);
    for (std::size_t length = 0; length < file.size(); ++length) {
      CHECK_THROWS_AS(decoded(file.substr(0, length)), FormatError);
    }
    CHECK_NOTHROW(decoded(file + "bytes after the end"));
  }
}

TEST_CASE("a 12-bit JPEG is refused by name", "[unit][image]") {
  std::string file = made_jpeg(flat({100}));
  file[file.find("\xFF\xC0") + 4] = 12;
  REQUIRE_THROWS_WITH(decoded(file), ContainsSubstring("12 bits per sample"));
}

TEST_CASE("a progressive JPEG with too many scans is refused", "[unit][image]") {
  MadeJpeg made = flat({100});
  made.is_progressive = true;
  std::string file = made_jpeg(made);
  const std::size_t last_scan = file.rfind("\xFF\xDA");
  const std::string scan = file.substr(last_scan, file.size() - 2 - last_scan);
  for (int i = 0; i < 200; ++i) file.insert(file.size() - 2, scan);
  REQUIRE_THROWS_AS(decoded(file), FormatError);
}
