#include "images/png/png_decoder.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "damage.hpp"
#include "made_images.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

TEST_CASE("gray PNGs of 1 and 2 and 4 and 8 bits are scaled to 0 to 255", "[unit][image]") {
  // Four pixels of 1 bit: 1 0 1 1.
  CHECK(decoded(made_png({.width = 4, .depth = 1, .rows = {0b10110000}})).values == Values{255, 0, 255, 255});
  // 2 bits: 0 1 2 3, in steps of 85.
  CHECK(decoded(made_png({.width = 4, .depth = 2, .rows = {0b00011011}})).values == Values{0, 85, 170, 255});
  // 4 bits: 15 and 2, in steps of 17.
  CHECK(decoded(made_png({.width = 2, .depth = 4, .rows = {0xF2}})).values == Values{255, 34});
  const auto gray = decoded(made_png({.width = 3, .depth = 8, .rows = {0, 128, 255}}));
  CHECK(gray.values == Values{0, 128, 255});
  CHECK(gray.channels == 1);
}

TEST_CASE("16 bits become 8 by (v + 128) / 257", "[unit][image]") {
  // 0x0080 = 128: 256 / 257 = 0. 0x0081 = 129: 257 / 257 = 1. 0xFFFF: 65663 / 257 = 255. 0xFF7F = 65407: 65535 / 257 =
  // 255. 0xFF7E = 65406: 65534 / 257 = 254. 0x1234 = 4660: 4788 / 257 = 18.
  const Values stored = {0x00, 0x80, 0x00, 0x81, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0x7E, 0x12, 0x34};
  CHECK(decoded(made_png({.width = 6, .depth = 16, .rows = stored})).values == Values{0, 1, 255, 255, 254, 18});
}

TEST_CASE("RGB PNGs keep their values whether interlaced or not", "[unit][image]") {
  MadePng made = {.width = 9, .height = 9, .color_type = PNG_COLOR_TYPE_RGB};
  for (int i = 0; i < 243; ++i) made.rows.push_back(static_cast<std::uint8_t>(i));
  CHECK(decoded(made_png(made)).values == made.rows);
  made.is_interlaced = true;
  CHECK(decoded(made_png(made)).values == made.rows);
}

TEST_CASE("a palette is applied and its transparency composed over the background", "[unit][image]") {
  MadePng made = {
      .width = 2, .color_type = PNG_COLOR_TYPE_PALETTE, .depth = 8, .palette = {{10, 20, 30}, {255, 0, 100}}};
  made.rows = {1, 0};
  CHECK(decoded(made_png(made)).values == Values{255, 0, 100, 10, 20, 30});
  made.palette_alpha = {0, 51};
  // 51 / 255 = 1/5: 255/5 + 4*100/5 = 131; 0 + 4*50/5 = 40; 100/5 + 0 = 20.
  CHECK(decoded(made_png(made), {100, 50, 0}).values == Values{131, 40, 20, 100, 50, 0});
}

TEST_CASE("alpha is composed over a colored background", "[unit][image]") {
  MadePng made = {.width = 3, .color_type = PNG_COLOR_TYPE_RGB_ALPHA};
  made.rows = {200, 100, 0, 255, 200, 100, 0, 0, 200, 100, 0, 128};
  // (200*128 + 10*127) / 255 = 105.37; (100*128 + 20*127) / 255 = 60.16; 30*127 / 255 = 14.94.
  CHECK(decoded(made_png(made), {10, 20, 30}).values == Values{200, 100, 0, 10, 20, 30, 105, 60, 15});
}

TEST_CASE("gray with alpha stays gray over a gray background and becomes RGB over a colored one", "[unit][image]") {
  MadePng made = {.width = 2, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA};
  made.rows = {200, 255, 200, 0};
  const auto gray = decoded(made_png(made), {76, 76, 76});
  CHECK(gray.values == Values{200, 76});
  CHECK(gray.channels == 1);
  CHECK(decoded(made_png(made), {255, 0, 10}).values == Values{200, 200, 200, 255, 0, 10});
}

TEST_CASE("one transparent gray value is composed in 8 and in 16 bits", "[unit][image]") {
  CHECK(decoded(made_png({.width = 2, .transparent_gray = 7, .rows = {7, 8}}), {255, 255, 255}).values ==
        Values{255, 8});
  // 0x0701 is transparent, 0x0700 = 1792 is not: 1920 / 257 = 7.
  const MadePng made = {.width = 2, .depth = 16, .transparent_gray = 0x0701, .rows = {7, 1, 7, 0}};
  CHECK(decoded(made_png(made), {255, 255, 255}).values == Values{255, 7});
}

TEST_CASE("a PNG with a wrong CRC or truncated anywhere is refused", "[unit][image]") {
  MadePng made = {.width = 16, .height = 16, .rows = Values(256, 9)};
  const std::string good = made_png(made);
  for (std::size_t at = 8; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 4;
    CHECK_THROWS_AS(decoded(bad), FormatError);
    CHECK_THROWS_AS(decoded(good.substr(0, at)), FormatError);
  }
}

TEST_CASE("a PNG is turned by its eXIf chunk or else by its XMP packet", "[unit][image]") {
  const std::string upright = made_png({.width = 2, .rows = {1, 2}});
  const auto exif = [](const std::string& file, int orientation) {
    return with_png_chunk(file, "eXIf", exif_block(orientation).substr(6));
  };
  const auto xmp = [](const std::string& file, int orientation, const std::string& flags = std::string(2, '\0')) {
    return with_png_chunk(file, "iTXt",
                          "XML:com.adobe.xmp" + std::string(1, '\0') + flags + "en" + std::string(1, '\0') +
                              "translated" + std::string(1, '\0') + xmp_packet(orientation));
  };
  CHECK(decoded(exif(upright, 2)).values == Values{2, 1});
  CHECK(decoded(xmp(upright, 2)).values == Values{2, 1});
  CHECK(decoded(xmp(exif(upright, 1), 2)).values == Values{1, 2});
  const auto turned = decoded(exif(upright, 6));
  CHECK(turned.width == 1);
  CHECK(turned.height == 2);
  // A compressed packet is not read. Chunks after the pixels count too; those that are cut short do not.
  CHECK(decoded(xmp(upright, 2, std::string("\1\0", 2))).values == Values{1, 2});
  const std::string whole = exif(upright, 2), chunk = whole.substr(33, 12 + 26);
  CHECK(decoded(upright.substr(0, upright.size() - 12) + chunk + upright.substr(upright.size() - 12)).values ==
        Values{2, 1});
  CHECK(images::parse_header(bytes_of(whole.substr(0, 33 + 20)), true)->orientation == 1);
}

TEST_CASE("damaged metadata of a PNG are ignored until the decoder finds the wrong CRC", "[unit][image]") {
  const std::string file = with_png_chunk(made_png({.width = 2, .rows = {1, 2}}), "eXIf", exif_block(6).substr(6));
  for (std::size_t bit = 8 * 33; bit < 8 * file.size(); ++bit) {
    std::string changed = file;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    const int orientation = images::parse_header(bytes_of(changed), true)->orientation;
    CHECK(orientation >= 1);
    CHECK(orientation <= 8);
    CHECK_THROWS_AS(decoded(changed), FormatError);
  }
}

TEST_CASE("16-bit and interlaced PNGs are turned as well", "[unit][image]") {
  MadePng made = {.width = 3, .height = 2, .is_interlaced = true, .rows = {1, 2, 3, 4, 5, 6}};
  const auto turned = decoded(with_png_chunk(made_png(made), "eXIf", exif_block(6).substr(6)));
  CHECK(turned.width == 2);
  // A quarter turn clockwise: the first row is the first column from below.
  CHECK(turned.values == Values{4, 1, 5, 2, 6, 3});
  made = {.width = 2, .depth = 16, .rows = {0, 0, 255, 255}};
  CHECK(decoded(with_png_chunk(made_png(made), "eXIf", exif_block(2).substr(6))).values == Values{255, 0});
}

TEST_CASE("further frames of a PNG are noted", "[unit][image]") {
  const std::string still = made_png({.width = 2, .rows = {1, 2}});
  CHECK_FALSE(is_odd(still, images::Oddity::more_frames));
  for (const char frames : {'\1', '\2'}) {
    const std::string counts = std::string(3, '\0') + frames + std::string(4, '\0');
    CHECK(is_odd(with_png_chunk(still, "acTL", counts), images::Oddity::more_frames) == (frames == '\2'));
  }
}

TEST_CASE("a PNG that changed since its header was read is refused", "[unit][image]") {
  check_other_sizes_are_refused(made_png({.width = 2, .rows = {1, 2}}));
  check_other_sizes_are_refused(made_png({.width = 2, .depth = 16, .rows = {1, 2, 3, 4}}));
  // Rows of 8 bits are not read as if they had 16.
  const std::string bytes = made_png({.width = 2, .rows = {1, 2}});
  const std::string deep = made_png({.width = 2, .depth = 16, .rows = {1, 2, 3, 4}});
  const auto header = images::checked_header(bytes_of(deep), {});
  CHECK_THROWS_AS(header.codec->decode_deep(bytes_of(bytes), header), FormatError);
}
