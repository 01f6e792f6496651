#include "images/tiff/tiff_decoder.hpp"

#include "damage.hpp"
#include "made_tiff.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

constexpr int kWhiteIsZero = 0, kRgb = 2, kPalette = 3, kInks = 5, kYCbCr = 6, kLab = 8;
constexpr int kOrientation = 274, kRowsPerStrip = 278, kPlanes = 284, kColorMap = 320, kTileWidth = 322,
              kTileHeight = 323, kInkSet = 332, kExtraSamples = 338, kSampleFormat = 339, kSubsampling = 530,
              kXmp = 700;

Values decoded_values(const MadeTiff& made, std::array<std::uint8_t, 3> background = {0, 0, 0}) {
  return decoded(made_tiff(made), background).values;
}

}  // namespace

TEST_CASE("gray TIFFs of 1 to 16 bits are scaled to 0 to 255 in either byte order", "[unit][image]") {
  for (const bool is_big_endian : {false, true}) {
    const auto gray = [&](int width, int bits, const Values& row, int color_model = 1) {
      return decoded_values({.width = width,
                             .bits = bits,
                             .color_model = color_model,
                             .blocks = {text_of(row)},
                             .is_big_endian = is_big_endian});
    };
    CHECK(gray(4, 1, {0b10110000}) == Values{255, 0, 255, 255});
    CHECK(gray(4, 2, {0b00011011}) == Values{0, 85, 170, 255});
    CHECK(gray(2, 4, {0xF2}) == Values{255, 34});
    CHECK(gray(3, 8, {0, 128, 255}) == Values{0, 128, 255});
    CHECK(gray(3, 8, {0, 128, 255}, kWhiteIsZero) == Values{255, 127, 0});
    // 0x800 = 2048 of 4095: slightly above 127.5; 0x001: 0.06.
    CHECK(gray(2, 12, {0x80, 0x00, 0x01}) == Values{128, 0});
    // 128: 256 / 257 = 0; 129: 257 / 257 = 1.
    const Values wide = is_big_endian ? Values{0, 128, 0, 129} : Values{128, 0, 129, 0};
    CHECK(gray(2, 16, wide) == Values{0, 1});
  }
}

TEST_CASE("the upper bytes of a TIFF palette are its colors", "[unit][image]") {
  MadeTiff made = {.width = 4, .bits = 2, .color_model = kPalette, .blocks = {"\x1B"}};
  // Colors 0 to 3: v * 256 and v * 257 both stand for v.
  made.tags[kColorMap] = {0, 10 * 256, 20 * 257, 65535, 0, 1, 2 * 256, 65535, 256, 0, 0, 65535};
  const auto image = decoded(made_tiff(made));
  CHECK(image.channels == 3);
  CHECK(image.values == Values{0, 0, 1, 10, 0, 0, 20, 2, 0, 255, 255, 255});
  CHECK_FALSE(is_odd(made_tiff(made), images::Oddity::palette_of_8_bits));
  // Without a color above 255, they are 8-bit.
  made.tags[kColorMap] = {0, 10, 20, 30, 0, 1, 2, 255, 3, 0, 0, 0};
  CHECK(decoded(made_tiff(made)).values == Values{0, 0, 3, 10, 1, 0, 20, 2, 0, 30, 255, 0});
  CHECK(is_odd(made_tiff(made), images::Oddity::palette_of_8_bits));
}

TEST_CASE("RGB TIFFs are read in strips and planes and tiles and as BigTIFF", "[unit][image]") {
  Values values;
  for (int i = 0; i < 20 * 18 * 3; ++i) values.push_back(static_cast<std::uint8_t>(i * 7 % 251));
  MadeTiff made = {.width = 20, .height = 18, .samples = 3, .color_model = kRgb, .blocks = {text_of(values)}};
  CHECK(decoded_values(made) == values);
  made.is_big_tiff = true;
  CHECK(decoded_values(made) == values);

  made.is_big_tiff = false;
  made.tags[kRowsPerStrip] = {7};
  made.blocks = {};
  for (const int first : {0, 7, 14})
    made.blocks.push_back(text_of(values).substr(static_cast<std::size_t>(first * 60), 420));
  CHECK(decoded_values(made) == values);

  made.tags = {{kPlanes, {2}}};
  made.blocks = {"", "", ""};
  for (std::size_t i = 0; i < values.size(); ++i) made.blocks[i % 3] += static_cast<char>(values[i]);
  CHECK(decoded_values(made) == values);

  // Four tiles of 16 x 16; those at the right and bottom are mostly padding.
  made.tags = {{kTileWidth, {16}}, {kTileHeight, {16}}};
  made.blocks = {};
  for (const std::size_t top : {0u, 16u}) {
    for (const std::size_t left : {0u, 16u}) {
      std::string tile(16 * 16 * 3, '\xEE');
      for (std::size_t y = top; y < std::min<std::size_t>(top + 16, 18); ++y) {
        const std::size_t width = std::min<std::size_t>(16, 20 - left);
        tile.replace((y - top) * 48, width * 3, text_of(values), (y * 20 + left) * 3, width * 3);
      }
      made.blocks.push_back(tile);
    }
  }
  CHECK(decoded_values(made) == values);
}

TEST_CASE("TIFF alpha is composed whether premultiplied or not", "[unit][image]") {
  MadeTiff made = {.samples = 4, .color_model = kRgb, .blocks = {text_of({100, 0, 200, 51})}};
  made.tags[kExtraSamples] = {2};
  // 51 / 255 = 1/5: 100/5 + 4*b/5.
  CHECK(decoded_values(made, {10, 20, 30}) == Values{28, 16, 64});
  made.tags[kExtraSamples] = {1};
  // Already premultiplied: 100 + 8, 0 + 16, and 200 + 24.
  CHECK(decoded_values(made, {10, 20, 30}) == Values{108, 16, 224});
  made.tags.erase(kExtraSamples);
  CHECK(decoded_values(made, {10, 20, 30}) == Values{28, 16, 64});

  made = {.samples = 2, .tags = {{kExtraSamples, {2}}}, .blocks = {text_of({100, 51})}};
  CHECK(decoded_values(made, {0, 0, 0}) == Values{20});
  CHECK(decoded_values(made, {10, 20, 30}) == Values{28, 36, 44});
}

TEST_CASE("TIFF samples that are neither color nor alpha make all of them bands", "[unit][image]") {
  const auto check_bands = [](const MadeTiff& made, const Values& expected) {
    const std::string file = made_tiff(made);
    const auto header = images::parse_header(bytes_of(file), true);
    CHECK(header->has_bands);
    CHECK(header->channels == made.samples);
    CHECK(decoded(file, {10, 20, 30}).channels == made.samples);
    CHECK(decoded(file, {10, 20, 30}).values == expected);
  };
  const Values pixels = {100, 0, 200, 51, 7, 8, 9, 10, 11, 12};
  for (const int samples : {2, 5}) {
    check_bands({.width = 10 / samples, .samples = samples, .blocks = {text_of(pixels)}}, pixels);
  }
  // RGB and near infrared, as GDAL writes it; the other extra sample may even be called alpha.
  MadeTiff made = {.samples = 4, .color_model = kRgb, .blocks = {text_of({100, 0, 200, 51})}};
  made.tags[kExtraSamples] = {0};
  check_bands(made, {100, 0, 200, 51});
  made = {
      .width = 2, .samples = 5, .color_model = kRgb, .tags = {{kExtraSamples, {2, 0}}}, .blocks = {text_of(pixels)}};
  check_bands(made, pixels);
  // Three bands of gray are not RGB. Where white is 0, bands are as they are stored.
  check_bands({.samples = 3, .tags = {{kExtraSamples, {0, 0}}}, .blocks = {text_of({1, 2, 3})}}, {1, 2, 3});
  check_bands({.samples = 3, .color_model = kWhiteIsZero, .blocks = {text_of({1, 2, 3})}}, {1, 2, 3});
  // In planes, and of 4 bits: 1 becomes 17.
  check_bands({.width = 2, .samples = 2, .tags = {{kPlanes, {2}}}, .blocks = {text_of({1, 2}), text_of({3, 4})}},
              {1, 3, 2, 4});
  check_bands({.samples = 2, .bits = 4, .blocks = {"\x1F"}}, {17, 255});
  const std::vector<std::uint8_t> many(4096, 9);
  check_bands({.samples = 4096, .blocks = {text_of(many)}}, many);
}

TEST_CASE("samples of a TIFF that are packed in an unusual way are noted", "[unit][image]") {
  using enum images::Oddity;
  MadeTiff made = {.samples = 4, .color_model = kRgb, .blocks = {text_of({1, 2, 3, 51})}};
  made.tags[kExtraSamples] = {2};
  CHECK(is_odd(made_tiff(made), fourth_sample_is_alpha));
  made.blocks = {text_of({1, 2, 3, 255})};
  CHECK_FALSE(is_odd(made_tiff(made), fourth_sample_is_alpha));
  made = {.samples = 5, .color_model = kRgb, .tags = {{kExtraSamples, {2, 0}}}, .blocks = {text_of({1, 2, 3, 4, 5})}};
  CHECK(is_odd(made_tiff(made), alpha_is_band));
  made.tags[kExtraSamples] = {0, 0};
  CHECK_FALSE(is_odd(made_tiff(made), alpha_is_band));
  made.color_model = kInks;
  CHECK(is_odd(made_tiff(made), unused_samples));
  made.samples = 4;
  made.tags.erase(kExtraSamples);
  CHECK_FALSE(is_odd(made_tiff(made), unused_samples));
}

TEST_CASE("further pages of a TIFF are noted, but not smaller versions and masks", "[unit][image]") {
  const std::string page = made_tiff({.blocks = {"x"}});
  constexpr int kReduced = 1, kPage = 2, kMask = 4;
  CHECK_FALSE(is_odd(page, images::Oddity::more_pages));
  CHECK(is_odd(with_directory(page, kPage), images::Oddity::more_pages));
  const std::string overviews = with_directory(with_directory(page, kReduced), kReduced | kMask);
  CHECK_FALSE(is_odd(overviews, images::Oddity::more_pages));
  CHECK(is_odd(with_directory(overviews, 0), images::Oddity::more_pages));
  // A directory that refers to itself, and one that is cut short.
  std::string endless = with_directory(page, kReduced);
  endless.replace(endless.size() - 4, 4, little(endless.size() - 18, 4));
  CHECK_FALSE(is_odd(endless, images::Oddity::more_pages));
  CHECK_FALSE(is_odd(with_directory(page, kPage).substr(0, page.size() + 9), images::Oddity::more_pages));
}

TEST_CASE("TIFF inks become RGB by the documented formula", "[unit][image]") {
  // Inks 0, 51, 102 of 255 and black 127 leave 128 of light: 128, 128 - 128/5 = 102.4, 128 - 256/5 = 76.8.
  MadeTiff made = {.samples = 4, .color_model = kInks, .blocks = {text_of({0, 51, 102, 127})}};
  CHECK(decoded_values(made) == Values{128, 102, 77});
  made.tags[kInkSet] = {2};
  CHECK_THROWS_WITH(decoded_values(made), ContainsSubstring("inks are not cyan"));
}

TEST_CASE("YCbCr in a TIFF without JPEG is converted by libtiff", "[unit][image]") {
  // Without chroma, so R = G = B = Y.
  MadeTiff made = {.width = 2, .samples = 3, .color_model = kYCbCr, .blocks = {text_of({50, 128, 128, 200, 128, 128})}};
  made.tags[kSubsampling] = {1, 1};
  CHECK(decoded_values(made) == Values{50, 50, 50, 200, 200, 200});
}

TEST_CASE("a TIFF is rotated by its orientation", "[unit][image]") {
  MadeTiff made = {.width = 2, .blocks = {text_of({1, 2})}};
  made.tags[kOrientation] = {6};
  const auto image = decoded(made_tiff(made));
  CHECK(image.width == 1);
  CHECK(image.height == 2);
  made.tags[kOrientation] = {2};
  CHECK(decoded_values(made) == Values{2, 1});
  made.tags[kOrientation] = {9};
  CHECK(decoded_values(made) == Values{1, 2});
  // An XMP packet counts if there is no such tag.
  const std::string packet = xmp_packet(2);
  made.tags[kXmp] = {packet.begin(), packet.end()};
  CHECK(decoded_values(made) == Values{1, 2});
  made.tags.erase(kOrientation);
  CHECK(decoded_values(made) == Values{2, 1});
}

TEST_CASE("unreadable TIFFs are refused with the reason", "[unit][image]") {
  const auto refusal = [](MadeTiff made) {
    if (made.blocks.empty()) made.blocks = {std::string(100, '\0')};
    try {
      decoded(made_tiff(made));
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("decoded");
  };
  CHECK_THAT(refusal({.bits = 32, .tags = {{kSampleFormat, {3}}}}), ContainsSubstring("floating-point"));
  CHECK_THAT(refusal({.bits = 16, .tags = {{kSampleFormat, {2}}}}), ContainsSubstring("signed"));
  CHECK_THAT(refusal({.bits = 32}), ContainsSubstring("32 bits per sample"));
  CHECK_THAT(refusal({.samples = 3, .color_model = kLab}), ContainsSubstring("color model 8"));
  CHECK_THAT(refusal({.tags = {{259, {6}}}}), ContainsSubstring("TIFF compression 6"));
  CHECK_THAT(refusal({.samples = 1, .color_model = kRgb}), ContainsSubstring("does not fit its color model"));
  CHECK_THAT(refusal({.samples = 40, .color_model = kInks}), ContainsSubstring("40 samples"));
  CHECK_THAT(refusal({.samples = 4097}), ContainsSubstring("4097 bands; at most 4096"));
  // libtiff treats a palette image without a palette as gray.
  CHECK_THAT(refusal({.color_model = kPalette}), ContainsSubstring("contradict each other"));
  CHECK_THAT(refusal({.width = 2000}), ContainsSubstring("TIFF data are damaged"));
}

TEST_CASE("TIFFs that claim more than they hold are refused", "[unit][image]") {
  MadeTiff made = {.width = 10'000, .height = 10'000, .blocks = {"x"}};
  CHECK_THAT(claim_refusal(made_tiff(made)), ContainsSubstring("cannot hold"));
  made.tags[259] = {8};
  CHECK_THAT(claim_refusal(made_tiff(made)), ContainsSubstring("cannot hold"));
  made.width = 70'000;
  CHECK_THAT(claim_refusal(made_tiff(made)), ContainsSubstring("at most 65535"));
  // One fax bit may encode a row of any width, but 200 bytes cannot hold 60,000 rows.
  MadeTiff fax = {.width = 4'000, .height = 60'000, .bits = 1, .tags = {{259, {4}}}, .blocks = {"x"}};
  CHECK_THAT(claim_refusal(made_tiff(fax)), ContainsSubstring("cannot hold"));
  // A tile of 4 GiB around one pixel.
  made = {.tags = {{kTileWidth, {65536}}, {kTileHeight, {65536}}}, .blocks = {"x"}};
  CHECK_THROWS_WITH(decoded(made_tiff(made)), ContainsSubstring("tiles are far larger"));
  // 4,096 tiles of 4 MiB around the bands of one pixel.
  made = {.samples = 4096,
          .tags = {{kTileWidth, {2048}}, {kTileHeight, {2048}}, {kPlanes, {2}}},
          .blocks = std::vector<std::string>(4096, "x")};
  CHECK_THROWS_WITH(decoded(made_tiff(made)), ContainsSubstring("tiles are far larger"));
  // Three bands take the memory of a pixel.
  made = {.width = 100, .height = 100, .samples = 9, .blocks = {std::string(90'000, 'x')}};
  CHECK_THAT(claim_refusal(made_tiff(made), {.largest_pixels = 29'999}),
             ContainsSubstring("100x100 pixels of 9 bands"));
  CHECK(claim_refusal(made_tiff(made), {.largest_pixels = 30'000}) == "accepted");
  made = {.tags = {{kTileWidth, {65536}}, {kTileHeight, {65536}}}, .blocks = {"x"}};
  made.tags = {{kTileWidth, {0}}, {kTileHeight, {16}}};
  CHECK_THROWS_AS(decoded(made_tiff(made)), FormatError);
}

TEST_CASE("damaged TIFFs are either refused or decoded", "[unit][image]") {
  MadeTiff made = {.width = 3, .height = 2, .samples = 3, .color_model = kRgb, .blocks = {std::string(18, 'x')}};
  check_cuts_are_refused(made_tiff(made));
  check_flips_do_no_harm(made_tiff(made));
  made.is_big_tiff = true;
  check_flips_do_no_harm(made_tiff(made));
  made.is_big_tiff = false;
  check_flips_do_no_harm(made_tiff({.samples = 5, .tags = {{kExtraSamples, {0, 2}}}, .blocks = {"abcde"}}));
  made.tags = {{kTileWidth, {16}}, {kTileHeight, {16}}, {kPlanes, {2}}};
  made.blocks = {std::string(256, 'a'), std::string(256, 'b'), std::string(256, 'c')};
  check_flips_do_no_harm(made_tiff(made));
}
