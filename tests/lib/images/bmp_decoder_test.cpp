#include "images/bmp/bmp_decoder.hpp"

#include "damage.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

/// A BMP file, with a Windows 3 header unless `header_bytes` is different. `masks` follow the header or are part of it.
struct MadeBmp {
  std::int32_t width = 1;
  std::int32_t height = 1;
  int bits = 24;
  std::uint32_t coding = 0;
  std::uint32_t header_bytes = 40;
  std::vector<std::uint32_t> masks = {};
  std::vector<std::array<std::uint8_t, 3>> palette = {};  ///< R, G, B
  Values data = {};
};

std::string made_bmp(const MadeBmp& made) {
  std::string head = little(made.header_bytes, 4);
  if (made.header_bytes == 12) {
    head += little(static_cast<std::uint32_t>(made.width), 2) + little(static_cast<std::uint32_t>(made.height), 2);
    head += little(1, 2) + little(static_cast<std::uint32_t>(made.bits), 2);
  } else {
    head += little(static_cast<std::uint32_t>(made.width), 4) + little(static_cast<std::uint32_t>(made.height), 4);
    head += little(1, 2) + little(static_cast<std::uint32_t>(made.bits), 2) + little(made.coding, 4);
    head += std::string(12, '\0') + little(made.palette.size(), 4) + little(0, 4);
    for (const std::uint32_t mask : made.masks) head += little(mask, 4);
    if (head.size() < made.header_bytes) head.resize(made.header_bytes);
  }
  for (const auto& [red, green, blue] : made.palette) {
    head += text_of({blue, green, red});
    if (made.header_bytes != 12) head += '\0';
  }
  const std::size_t pixels_at = 14 + head.size();
  return "BM" + little(pixels_at + made.data.size(), 4) + little(0, 4) + little(pixels_at, 4) + head +
         text_of(made.data);
}

}  // namespace

TEST_CASE("24-bit BMP rows are padded and bottom-up and in BGR order", "[unit][image]") {
  // Two rows of one pixel, each padded by a byte; the bottom row comes first.
  MadeBmp made = {.width = 1, .height = 2, .data = {3, 2, 1, 0, 6, 5, 4, 0}};
  const auto image = decoded(made_bmp(made));
  CHECK(image.width == 1);
  CHECK(image.height == 2);
  CHECK(image.channels == 3);
  CHECK(image.values == Values{4, 5, 6, 1, 2, 3});
  made.height = -2;
  CHECK(decoded(made_bmp(made)).values == Values{1, 2, 3, 4, 5, 6});
}

TEST_CASE("BMP palettes of 1 and 4 and 8 bits are applied and gray palettes give a gray image", "[unit][image]") {
  MadeBmp made = {.width = 9, .bits = 1, .palette = {{10, 20, 30}, {7, 7, 7}}, .data = {0b10110000, 0x80, 0, 0}};
  const auto colored = decoded(made_bmp(made));
  CHECK(colored.channels == 3);
  CHECK(Values(colored.values.begin(), colored.values.begin() + 9) == Values{7, 7, 7, 10, 20, 30, 7, 7, 7});
  made.palette = {{255, 255, 255}, {0, 0, 0}};
  const auto gray = decoded(made_bmp(made));
  CHECK(gray.channels == 1);
  CHECK(gray.values == Values{0, 255, 0, 0, 255, 255, 255, 255, 0});
  made = {.width = 3, .bits = 4, .palette = {{5, 5, 5}, {6, 6, 6}, {9, 9, 9}}, .data = {0x21, 0x00, 0, 0}};
  CHECK(decoded(made_bmp(made)).values == Values{9, 6, 5});
  made.bits = 8, made.data = {2, 0, 1, 0};
  CHECK(decoded(made_bmp(made)).values == Values{9, 5, 6});
  made.data[1] = 3;
  CHECK_THROWS_WITH(decoded(made_bmp(made)), ContainsSubstring("its palette lacks"));
}

TEST_CASE("an OS/2 BMP has a short header and a palette with three bytes per color", "[unit][image]") {
  MadeBmp made = {.width = 2, .bits = 8, .header_bytes = 12, .palette = {}, .data = {1, 0, 0, 0}};
  made.palette.assign(256, {0, 0, 0});
  made.palette[1] = {1, 2, 3};
  CHECK(decoded(made_bmp(made)).values == Values{1, 2, 3, 0, 0, 0});
}

TEST_CASE("BMP bit fields are scaled to 0 to 255", "[unit][image]") {
  // 5-5-5: 31, 16, 1 of 31: 255, 131.6, 8.2. Little-endian 0 11111 10000 00001.
  MadeBmp made = {.bits = 16, .data = {0x01, 0x7E, 0, 0}};
  CHECK(decoded(made_bmp(made)).values == Values{255, 132, 8});
  // 5-6-5: 1 of 31, 32 of 63, 31 of 31: 8.2, 129.5, 255. 00001 100000 11111.
  made = {.bits = 16, .coding = 3, .masks = {0xF800, 0x7E0, 0x1F}, .data = {0x1F, 0x0C, 0, 0}};
  CHECK(decoded(made_bmp(made)).values == Values{8, 130, 255});
  // 32 bits, with R in the lowest.
  made = {.bits = 32, .coding = 3, .masks = {0xFF, 0xFF00, 0xFF0000}, .data = {1, 2, 3, 4}};
  CHECK(decoded(made_bmp(made)).values == Values{1, 2, 3});
  made.masks = {0xFF, 0xFF00, 0xFF00FF};
  CHECK_THROWS_WITH(decoded(made_bmp(made)), ContainsSubstring("masks"));
}

TEST_CASE("a BMP has alpha only if it has an alpha mask", "[unit][image]") {
  MadeBmp made = {.bits = 32, .data = {30, 20, 10, 0}};
  CHECK(decoded(made_bmp(made), {100, 100, 100}).values == Values{10, 20, 30});
  made = {.bits = 32,
          .coding = 3,
          .header_bytes = 56,
          .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000},
          .data = {30, 20, 10, 51}};
  // 51 / 255 = 1/5: 10/5 + 4*100/5 = 82, 84, 86.
  CHECK(decoded(made_bmp(made), {100, 100, 100}).values == Values{82, 84, 86});
}

TEST_CASE("run-length encoded BMPs are decoded with runs and copies and skips and line ends", "[unit][image]") {
  MadeBmp made = {.width = 4, .height = 3, .bits = 8, .coding = 1};
  for (int i = 0; i < 4; ++i) made.palette.push_back({static_cast<std::uint8_t>(10 * i), 0, 0});
  // Bottom row: three times 1, line end. Middle row: copy 1 2 3 and padding, once 2. Then skip 1 right and 1 up, once
  // 3, end.
  made.data = {3, 1, 0, 0, 0, 3, 1, 2, 3, 0, 1, 2, 0, 0, 0, 2, 1, 0, 1, 3, 0, 1};
  Values reds;
  for (std::size_t i = 0; i < 12; ++i) reds.push_back(decoded(made_bmp(made)).values[3 * i]);
  CHECK(reds == Values{0, 30, 0, 0, 10, 20, 30, 20, 10, 10, 10, 0});
  made.data = {5, 1, 0, 1};
  CHECK_THROWS_WITH(decoded(made_bmp(made)), ContainsSubstring("beyond the image"));
  made.data = {3, 1, 0, 0};
  CHECK_THROWS_WITH(decoded(made_bmp(made)), ContainsSubstring("cut short"));

  // 4 bits: a run of five alternates between 1 and 2; a copy of three takes two bytes.
  made = {.width = 8, .bits = 4, .coding = 2, .palette = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}};
  made.data = {5, 0x12, 0, 3, 0x31, 0x20, 0, 1};
  CHECK(decoded(made_bmp(made)).values == Values{1, 2, 1, 2, 1, 3, 1, 2});
}

TEST_CASE("unreadable BMPs are refused with the reason", "[unit][image]") {
  CHECK_THROWS_WITH(decoded(made_bmp({.coding = 4})), ContainsSubstring("BMP compression 4"));
  CHECK_THROWS_WITH(decoded(made_bmp({.bits = 7})), ContainsSubstring("7 bits"));
  CHECK_THROWS_WITH(decoded(made_bmp({.header_bytes = 41})), ContainsSubstring("41 bytes"));
  CHECK_THROWS_WITH(decoded(made_bmp({.width = -5})), ContainsSubstring("width of -5"));
  CHECK_THROWS_WITH(decoded(made_bmp({.height = 0})), ContainsSubstring("1x0"));
  CHECK_THAT(claim_refusal(made_bmp({.width = 30000, .height = INT32_MIN})), ContainsSubstring("at most 65535"));
  // An uncompressed file of 54 bytes cannot hold 300 MB.
  CHECK_THAT(claim_refusal(made_bmp({.width = 10000, .height = 10000})), ContainsSubstring("cannot hold"));
}

TEST_CASE("damaged BMPs are either refused or decoded", "[unit][image]") {
  const MadeBmp plain = {.width = 3, .height = 2, .bits = 8, .palette = {{1, 2, 3}, {4, 5, 6}}, .data = Values(8, 1)};
  const MadeBmp runs = {
      .width = 3, .height = 1, .bits = 8, .coding = 1, .palette = plain.palette, .data = {3, 1, 0, 1}};
  check_cuts_are_refused(made_bmp(plain));
  check_flips_do_no_harm(made_bmp(plain));
  check_flips_do_no_harm(made_bmp(runs));
}

TEST_CASE("a BMP that changed since its header was read is refused", "[unit][image]") {
  check_other_sizes_are_refused(made_bmp({.width = 2, .data = {1, 2, 3, 4, 5, 6, 0, 0}}));
}
