#include "images/gif/gif_decoder.hpp"

#include "damage.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

constexpr int kClear = 256, kEnd = 257;

/// Codes of 9 bits, lowest bit first, in sub-blocks. Clear codes keep them at 9 bits, so that each is a color index.
std::string uncompressed_lzw(const Values& numbers) {
  std::vector<int> codes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % 200 == 0) codes.push_back(kClear);
    codes.push_back(numbers[i]);
  }
  codes.push_back(kEnd);
  std::string bytes((codes.size() * 9 + 7) / 8, '\0');
  for (std::size_t bit = 0; bit < codes.size() * 9; ++bit) {
    if ((codes[bit / 9] >> bit % 9 & 1) != 0) bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | 1 << bit % 8);
  }
  std::string blocks = "\x08";
  for (std::size_t at = 0; at < bytes.size(); at += 255) {
    const std::string block = bytes.substr(at, 255);
    blocks += static_cast<char>(block.size()) + block;
  }
  return blocks + '\0';
}

/// A GIF file with one frame. Palettes have 4 RGB colors; an empty palette is left out.
struct MadeGif {
  int screen_width = 2, screen_height = 1;
  int x = 0, y = 0, width = 2, height = 1;
  bool is_interlaced = false;
  int transparent = -1;
  Values palette = {0, 0, 0, 10, 20, 30, 40, 50, 60, 255, 255, 255};
  Values own_palette = {};
  Values numbers = {1, 2};
};

std::string number_16(int value) { return little(static_cast<std::uint64_t>(value), 2); }

std::string made_gif(const MadeGif& made) {
  const auto flags = [](const Values& palette) { return palette.empty() ? 0 : 0x81; };
  std::string file = "GIF89a" + number_16(made.screen_width) + number_16(made.screen_height);
  file += text_of({static_cast<std::uint8_t>(flags(made.palette)), 0, 0}) + text_of(made.palette);
  file += std::string("!\xFE\x02hi\0", 6);
  if (made.transparent >= 0) {
    file += std::string("!\xF9\x04\x01\0\0", 6) + static_cast<char>(made.transparent) + '\0';
  }
  file += ',' + number_16(made.x) + number_16(made.y) + number_16(made.width) + number_16(made.height);
  file += static_cast<char>(flags(made.own_palette) | (made.is_interlaced ? 0x40 : 0));
  return file + text_of(made.own_palette) + uncompressed_lzw(made.numbers) + ';';
}

}  // namespace

TEST_CASE("a GIF's colors come from the frame's palette or the file's or are grays", "[unit][image]") {
  MadeGif made;
  CHECK(decoded(made_gif(made)).values == Values{10, 20, 30, 40, 50, 60});
  made.own_palette = {9, 9, 9, 8, 8, 8, 7, 7, 7, 6, 6, 6};
  const auto gray = decoded(made_gif(made));
  CHECK(gray.channels == 1);
  CHECK(gray.values == Values{8, 7});
  made.palette = made.own_palette = {};
  made.numbers = {200, 3};
  CHECK(decoded(made_gif(made)).values == Values{200, 3});
}

TEST_CASE("the rows of an interlaced GIF are reordered", "[unit][image]") {
  MadeGif made = {.screen_width = 1, .screen_height = 11, .width = 1, .height = 11, .is_interlaced = true};
  made.palette = {};
  // Rows 0 and 8, then 4, then 2, 6, 10, then the odd ones.
  made.numbers = {0, 8, 4, 2, 6, 10, 1, 3, 5, 7, 9};
  CHECK(decoded(made_gif(made)).values == Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("a GIF shows the background in transparent areas and outside its frame", "[unit][image]") {
  MadeGif made = {.transparent = 2};
  CHECK(decoded(made_gif(made), {7, 8, 9}).values == Values{10, 20, 30, 7, 8, 9});
  made = {.screen_width = 3, .screen_height = 2, .x = 1, .y = 1};
  CHECK(decoded(made_gif(made), {7, 8, 9}).values ==
        Values{7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9, 10, 20, 30, 40, 50, 60});
  // Grays over a gray background stay gray.
  made.palette = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
  CHECK(decoded(made_gif(made), {5, 5, 5}).values == Values{5, 5, 5, 5, 2, 3});
  CHECK(decoded(made_gif(made), {5, 5, 6}).channels == 3);
}

TEST_CASE("a frame that exceeds a GIF's screen enlarges the screen", "[unit][image]") {
  const auto image = decoded(made_gif({.screen_width = 1, .x = 1}), {7, 8, 9});
  CHECK(image.width == 3);
  CHECK(image.values == Values{7, 8, 9, 10, 20, 30, 40, 50, 60});
}

TEST_CASE("unreadable GIFs are refused with the reason", "[unit][image]") {
  CHECK_THROWS_WITH(decoded(made_gif({.numbers = {1, 4}})), ContainsSubstring("its palette lacks"));
  CHECK_THROWS_WITH(decoded(made_gif({.numbers = {1}})), ContainsSubstring("GIF data are damaged"));
  CHECK_THROWS_WITH(decoded(std::string("GIF89a\1\0\1\0\0\0\0;", 14)), ContainsSubstring("without an image"));
  CHECK_THROWS_WITH(decoded(std::string("GIF89a\1\0\1\0\0\0\0x", 14)), ContainsSubstring("unknown GIF block"));
  CHECK_THROWS_WITH(decoded(made_gif({.width = 0})), ContainsSubstring("empty"));
  CHECK_THAT(claim_refusal(made_gif({.screen_width = 65535, .screen_height = 65535})), ContainsSubstring("at most"));
  CHECK_THAT(claim_refusal(made_gif({.screen_width = 16000, .screen_height = 16000})),
             ContainsSubstring("cannot hold"));
}

TEST_CASE("damaged GIFs are either refused or decoded", "[unit][image]") {
  const std::string file = made_gif({.screen_width = 5, .width = 5, .transparent = 1, .numbers = {1, 2, 3, 0, 1}});
  // The end mark of the file is not required.
  check_cuts_are_refused(file.substr(0, file.size() - 1));
  CHECK_NOTHROW(decoded(file.substr(0, file.size() - 1)));
  check_flips_do_no_harm(file);
}

TEST_CASE("further frames of a GIF are noted", "[unit][image]") {
  const std::string file = made_gif({}), open_file = file.substr(0, file.size() - 1);
  // What follows the screen's header, its palette and the comment: the frame.
  const std::string frame = open_file.substr(13 + 12 + 6);
  const std::string control("!\xF9\x04\0\0\0\0\0", 8);
  CHECK_FALSE(is_odd(file, images::Oddity::more_frames));
  CHECK_FALSE(is_odd(open_file + control + ';', images::Oddity::more_frames));
  CHECK_FALSE(is_odd(open_file + control.substr(0, 5), images::Oddity::more_frames));
  CHECK(is_odd(open_file + control + frame + ';', images::Oddity::more_frames));
  CHECK(decoded(open_file + control + frame + ';').values == decoded(file).values);
}

TEST_CASE("a GIF that changed since its header was read is refused", "[unit][image]") {
  check_other_sizes_are_refused(made_gif({}));
}
