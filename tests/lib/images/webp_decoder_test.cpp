#include "images/webp/webp_decoder.hpp"

#include <webp/encode.h>

#include "damage.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

namespace {

std::string chunk(const std::string& name, const std::string& bytes) {
  return name + little(bytes.size(), 4) + bytes + std::string(bytes.size() % 2, '\0');
}

std::string riff(const std::string& chunks) { return "RIFF" + little(chunks.size() + 4, 4) + "WEBP" + chunks; }

/// The chunks of a lossless image of R, G, B, alpha.
std::string lossless_chunks(int width, int height, const Values& rgba) {
  std::uint8_t* bytes = nullptr;
  const std::size_t count = WebPEncodeLosslessRGBA(rgba.data(), width, height, 4 * width, &bytes);
  const std::string file(reinterpret_cast<const char*>(bytes), count);
  WebPFree(bytes);
  return file.substr(12);
}

/// Flags, then canvas width - 1 and height - 1.
std::string canvas(int flags, int width, int height) {
  return chunk("VP8X", little(static_cast<std::uint64_t>(flags), 4) + little(static_cast<std::uint64_t>(width - 1), 3) +
                           little(static_cast<std::uint64_t>(height - 1), 3));
}

/// A frame of one pixel, at even coordinates.
std::string frame(int x, int y, const Values& rgba) {
  return chunk("ANMF", little(static_cast<std::uint64_t>(x / 2), 3) + little(static_cast<std::uint64_t>(y / 2), 3) +
                           little(0, 3) + little(0, 3) + little(10, 3) + little(0, 1) + lossless_chunks(1, 1, rgba));
}

constexpr int kIsAnimated = 0x02, kHasXmp = 0x04, kHasExif = 0x08;

}  // namespace

TEST_CASE("a lossless WebP keeps its values and alpha is composed over the background", "[unit][image]") {
  const Values opaque = {1, 2, 3, 255, 250, 128, 7, 255};
  CHECK(decoded(riff(lossless_chunks(2, 1, opaque))).values == Values{1, 2, 3, 250, 128, 7});
  // 51 / 255 = 1/5: 100/5 + 4*b/5.
  const Values transparent = {100, 0, 200, 51, 1, 2, 3, 255};
  CHECK(decoded(riff(lossless_chunks(2, 1, transparent)), {10, 20, 30}).values == Values{28, 16, 64, 1, 2, 3});
}

TEST_CASE("a lossy WebP is decoded", "[unit][image]") {
  std::uint8_t* bytes = nullptr;
  const Values flat(32 * 16 * 3, 99);
  const std::size_t count = WebPEncodeRGB(flat.data(), 32, 16, 96, 95, &bytes);
  const std::string file(reinterpret_cast<const char*>(bytes), count);
  WebPFree(bytes);
  const auto image = decoded(file);
  CHECK(image.width == 32);
  CHECK(image.height == 16);
  for (const int value : image.values) REQUIRE(std::abs(value - 99) <= 2);
  check_cuts_are_refused(file);
  check_flips_do_no_harm(file);
}

TEST_CASE("a WebP is rotated by its EXIF orientation wherever that chunk is", "[unit][image]") {
  const std::string image = lossless_chunks(2, 1, {1, 1, 1, 255, 2, 2, 2, 255});
  for (const bool with_mark : {true, false}) {
    const std::string block = exif_block(6).substr(with_mark ? 0 : 6);
    const auto turned = decoded(riff(canvas(kHasExif, 2, 1) + image + chunk("EXIF", block)));
    CHECK(turned.width == 1);
    CHECK(turned.height == 2);
    CHECK(turned.values == Values{1, 1, 1, 2, 2, 2});
  }
  const std::string xmp = chunk("XMP ", xmp_packet(6));
  CHECK(decoded(riff(canvas(kHasXmp, 2, 1) + image + xmp)).width == 1);
  const std::string upright = chunk("EXIF", exif_block(1).substr(6));
  CHECK(decoded(riff(canvas(kHasXmp | kHasExif, 2, 1) + image + upright + xmp)).width == 2);
  // A chunk that claims more bytes than exist is ignored.
  const std::string cut = riff(canvas(kHasExif, 2, 1) + image) + "EXIF" + little(1 << 30, 4);
  CHECK(decoded(cut).width == 2);
}

TEST_CASE("a WebP animation gives its first frame on the canvas", "[unit][image]") {
  const std::string first = frame(2, 0, {50, 60, 70, 255}), second = frame(0, 0, {9, 9, 9, 255});
  const auto image = decoded(riff(canvas(kIsAnimated, 3, 1) + chunk("ANIM", little(0, 6)) + first + second), {1, 2, 3});
  CHECK(image.values == Values{1, 2, 3, 1, 2, 3, 50, 60, 70});
  CHECK(is_odd(riff(canvas(kIsAnimated, 3, 1) + first + second), images::Oddity::more_frames));
  CHECK_FALSE(is_odd(riff(canvas(kIsAnimated, 3, 1) + first), images::Oddity::more_frames));
  CHECK_THROWS_WITH(decoded(riff(canvas(kIsAnimated, 3, 1))), ContainsSubstring("without a frame"));
  CHECK_THROWS_WITH(decoded(riff(canvas(kIsAnimated, 2, 1) + first)), ContainsSubstring("leaves the canvas"));
  check_flips_do_no_harm(riff(canvas(kIsAnimated, 3, 1) + first));
}

TEST_CASE("a damaged WebP is either refused or decoded", "[unit][image]") {
  Values noise;
  for (int i = 0; i < 8 * 8; ++i) {
    for (const int step : {7, 31, 101}) noise.push_back(static_cast<std::uint8_t>(i * step));
    noise.push_back(255);
  }
  const std::string file = riff(lossless_chunks(8, 8, noise));
  check_cuts_are_refused(file);
  check_flips_do_no_harm(file);
  CHECK_THROWS_WITH(decoded(riff(chunk("ABCD", "none"))), ContainsSubstring("does not begin with"));
}

TEST_CASE("a WebP that claims more than its bytes can hold is refused", "[unit][image]") {
  const std::string file = riff(canvas(0, 16383, 16383) + lossless_chunks(1, 1, {1, 2, 3, 255}));
  CHECK_THAT(claim_refusal(file), ContainsSubstring("cannot hold"));
  CHECK_THAT(claim_refusal(riff(canvas(0, 1 << 24, 1))), ContainsSubstring("at most 65535"));
}
