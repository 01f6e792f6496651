// Every difficult image is either decoded or refused with a reason, without crashes.
#include <filesystem>
#include <map>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "images/image_reader.hpp"
#include "shared_data.hpp"
#include "support/file.hpp"

using namespace octavo;
namespace fs = std::filesystem;

namespace {

/// The size as "3x4" (width x height), or the reason for refusing the file.
std::string outcome(const fs::path& path) {
  try {
    const auto header = images::probe(path, {});
    const std::string file = read_whole_file(path, 1 << 30);
    const auto pixels = images::decode(std::as_bytes(std::span(file)), {}, {0, 0, 0});
    CHECK(header.width == pixels.width);
    CHECK(header.height == pixels.height);
    CHECK(header.channels == pixels.channels);
    return std::to_string(pixels.width) + "x" + std::to_string(pixels.height);
  } catch (const Error& error) {
    CHECK_THAT(error.what(), !ContainsSubstring("\n"));
    return error.what();
  }
}

std::map<std::string, std::string> outcomes(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(*test::shared_data("odd/" + folder))) {
    if (entry.path().extension() != ".tsv" && entry.path().extension() != ".txt") {
      all[entry.path().filename().string()] = outcome(entry.path());
    }
  }
  return all;
}

bool is_decoded(const std::string& text) { return std::isdigit(static_cast<unsigned char>(text[0])) != 0; }

}  // namespace

TEST_CASE("PngSuite is decoded except for its corrupt files", "[unit][image]") {
  if (!test::shared_data("odd/pngsuite")) OCTAVO_SKIP("no shared data");
  const auto all = outcomes("pngsuite");
  CHECK(all.size() >= 160);
  for (const auto& [name, text] : all) {
    INFO(name << ": " << text);
    CHECK(is_decoded(text) == (name[0] != 'x'));
  }
  for (const auto& [name, text] : outcomes("png")) {
    INFO(name << ": " << text);
    CHECK(is_decoded(text));
  }
}

TEST_CASE("odd JPEGs are decoded upright and 12-bit and truncated ones are refused", "[unit][image]") {
  if (!test::shared_data("odd/jpeg-exif")) OCTAVO_SKIP("no shared data");
  auto exif = outcomes("jpeg-exif");
  for (const auto& [name, text] : exif) {
    INFO(name << ": " << text);
    CHECK(is_decoded(text));
  }
  CHECK(exif.at("exif_Landscape_6.jpg") == "1800x1200");
  CHECK(exif.at("exif_Portrait_8.jpg") == "1200x1800");
  for (const auto& [name, text] : outcomes("jpeg-mode")) {
    INFO(name << ": " << text);
    CHECK(is_decoded(text) == (name != "monkey12.jpg"));
  }
  auto broken = outcomes("jpeg-broken");
  CHECK(is_decoded(broken.at("junk_jpeg_header.jpg")));
  CHECK(is_decoded(broken.at("jpeg_ff00_header.jpg")));
  CHECK_FALSE(is_decoded(broken.at("truncated_jpeg.jpg")));
  CHECK_FALSE(is_decoded(broken.at("skimage_truncated.jpg")));
}

TEST_CASE("files of other formats are decoded unless their library is missing", "[unit][image]") {
  if (!test::shared_data("odd/other-format")) OCTAVO_SKIP("no shared data");
  const auto all = outcomes("other-format");
  CHECK(all.size() == 7);
  for (const auto& [name, text] : all) {
    if (text.find("this build has no") != std::string::npos) continue;
    INFO(name << ": " << text);
    CHECK(text == (name.starts_with("chessboard") ? "200x200" : "128x128"));
  }
  CHECK(all.at("hopper.bmp") == "128x128");
  CHECK(all.at("hopper.ppm") == "128x128");
  CHECK(all.at("hopper_16bit.pgm") == "128x128");
}

TEST_CASE("generated invalid files are refused and valid ones are decoded", "[unit][image]") {
  if (!test::shared_data("odd/made")) OCTAVO_SKIP("no shared data");
  const std::vector<std::string> bad = {"bad_crc.png",          "html_error_page.png",
                                        "lfs_pointer.jpg",      "text_named.jpg",
                                        "truncated.png",        "truncated_first_100_bytes.jpg",
                                        "truncated_half.jpg",   "truncated_in_header.jpg",
                                        "truncated_no_eoi.jpg", "zero_byte.jpg",
                                        "zero_byte.png"};
  for (const auto& [name, text] : outcomes("made")) {
    INFO(name << ": " << text);
    if (name == "corrupt_entropy.jpg") continue;  // zeros may be valid codes
    CHECK(is_decoded(text) == (std::count(bad.begin(), bad.end(), name) == 0));
  }
}

TEST_CASE("files that claim more than they hold are refused by their headers", "[unit][image]") {
  if (!test::shared_data("odd/made-hostile")) OCTAVO_SKIP("no shared data");
  const fs::path folder = *test::shared_data("odd/made-hostile");
  const auto refused = [&](const char* name, images::Limits limits) {
    try {
      images::probe(folder / name, limits);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refused("huge_claim.jpg", {}), ContainsSubstring("65500x65500 pixels, at most"));
  CHECK_THAT(refused("huge_claim.png", {}), ContainsSubstring("at most"));
  CHECK_THAT(refused("zero_size_claim.jpg", {}), ContainsSubstring("0x0"));
  CHECK_THAT(refused("huge_claim.jpg", {.largest_pixels = std::uint64_t{1} << 40}), ContainsSubstring("cannot hold"));
  CHECK_THAT(refused("bomb_12000x12000.png", {.largest_pixels = 64u << 20}), ContainsSubstring("at most 67108864"));
}
