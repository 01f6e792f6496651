#include "images/jpeg/jpeg_decoder.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "damage.hpp"
#include "images/color.hpp"
#include "images/xmp_orientation.hpp"
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

TEST_CASE("inverted CMYK becomes RGB with and without Adobe's marker", "[unit][image]") {
  // Inks 0, 51, 102 of 255 and black 127 leave 128 of light: 128, 128 - 128/5 = 102.4, 128 - 256/5 = 76.8.
  MadeJpeg made = flat({255, 204, 153, 128});
  CHECK(is_near(decoded(made_jpeg(made)).values, {128, 102, 77}));
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

TEST_CASE("the first EXIF block of a JPEG counts, and XMP only without an orientation in it", "[unit][image]") {
  const std::string upright = made_jpeg(two_halves(10, 240));
  const auto width_with = [&](const std::vector<std::string>& segments) {
    std::string file = upright;
    for (std::size_t i = segments.size(); i-- > 0;) file = with_app1(file, segments[i]);
    return decoded(file).width;
  };
  // Turned, the image is 8 pixels wide.
  CHECK(width_with({exif_block(6)}) == 8);
  CHECK(width_with({exif_block(1), exif_block(6)}) == 16);
  CHECK(width_with({exif_block(6), exif_block(1)}) == 8);
  const std::string xmp = xmp_mark() + xmp_packet(6);
  CHECK(width_with({xmp}) == 8);
  CHECK(width_with({exif_block(1), xmp}) == 16);
  CHECK(width_with({xmp, exif_block(1)}) == 16);
  // 0 is not an orientation, but it is there.
  CHECK(width_with({exif_block(0), xmp}) == 16);
  // Another tag, 0x0100, in place of the orientation.
  std::string without = exif_block(6);
  without.replace(16, 2, std::string("\x01\x00", 2));
  CHECK(width_with({without}) == 16);
  CHECK(width_with({without, exif_block(6)}) == 16);
  CHECK(width_with({without, xmp}) == 8);
  CHECK(width_with({"Exif" + std::string(2, '\0') + "damaged", xmp}) == 8);
  // The last packet counts, as in Pillow.
  CHECK(width_with({xmp, xmp_mark() + xmp_packet(1)}) == 16);
  CHECK(width_with({xmp_mark() + xmp_packet(1), xmp}) == 8);
}

TEST_CASE("the orientation in XMP is an attribute or an element", "[unit][image]") {
  const auto orientation = [](const std::string& packet) { return images::xmp_orientation(bytes_of(packet)); };
  CHECK(orientation(R"(<a tiff:Orientation="6"/>)") == 6);
  CHECK(orientation("<tiff:Orientation>8</tiff:Orientation>") == 8);
  CHECK(orientation("<tiff:Orientation>3") == 3);
  CHECK(orientation("tiff:Orientation tiff:Orientation='6' tiff:Orientation=\"\" tiff:Orientation=\"5\"") == 5);
  CHECK(orientation("<tiff:Orientation>9</tiff:Orientation>") == 1);
  CHECK(orientation("<tiff:Orientation>0</tiff:Orientation>") == 1);
  for (const char* packet : {"", "tiff:Orientation", "tiff:Orientation=", "tiff:Orientation=\"", "tiff:Orientation>",
                             "tiff:Orientation>x", "exif:Orientation=\"6\"", "tiff:orientation=\"6\""}) {
    CHECK_FALSE(orientation(packet));
  }
}

TEST_CASE("an invalid scan header of a baseline JPEG harms no pixel and is noted", "[unit][image]") {
  const std::string file = made_jpeg(two_halves(50, 200));
  const auto pixels = decoded(file).values;
  CHECK_FALSE(is_odd(file, images::Oddity::scan_header));
  // Marker, length, number of components, one component, then Ss, Se, and Ah and Al.
  const std::size_t at = file.find("\xFF\xDA") + 7;
  for (const std::size_t field : {0u, 1u, 2u}) {
    std::string odd = file;
    odd[at + field] = field == 1 ? 0 : 1;
    CHECK(decoded(odd).values == pixels);
    CHECK(is_odd(odd, images::Oddity::scan_header));
  }
}

namespace {

/// A progressive JPEG, divided before each scan, with its tables; the last part is the end marker.
std::vector<std::string> scans_of(const std::string& file) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t scan = file.find("\xFF\xDA"); scan != file.npos;) {
    const std::size_t next = file.find("\xFF\xDA", scan + 2), tables = file.find("\xFF\xC4", scan + 2);
    const std::size_t end = std::min({next, tables, file.size() - 2});
    parts.push_back(file.substr(begin, end - begin));
    begin = end;
    scan = next;
  }
  parts.push_back(file.substr(begin));
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

}  // namespace

TEST_CASE("a scan of a progressive JPEG that is sent twice harms no pixel and is noted", "[unit][image]") {
  MadeJpeg made = {.width = 16, .height = 16, .is_progressive = true};
  for (int i = 0; i < 256; ++i) made.values.push_back(static_cast<std::uint8_t>(i * i));
  const std::string file = made_jpeg(made);
  const auto pixels = decoded(file).values;
  CHECK_FALSE(is_odd(file, images::Oddity::scan_sequence));
  // libjpeg's scans for gray: means without their last bit; low and high coefficients without their last two bits; one
  // more bit of these; the last bit of the means, and of the others.
  auto scans = scans_of(file);
  REQUIRE(scans.size() == 7);
  const std::string mean = scans[0].substr(scans[0].find("\xFF\xDA"));
  const auto with_extra = [&](std::size_t before, const std::string& scan) {
    auto changed = scans;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(before), scan);
    return joined(changed);
  };
  for (const std::string& odd : {with_extra(1, mean), with_extra(4, mean), with_extra(2, scans[1])}) {
    CHECK(decoded(odd).values == pixels);
    CHECK(is_odd(odd, images::Oddity::scan_sequence));
  }
  // Refining bits are sent twice; a bit is missing.
  CHECK_THROWS_WITH(decoded(with_extra(6, scans[5])), ContainsSubstring("Inconsistent progression"));
  auto lacking = scans;
  lacking.erase(lacking.begin() + 3);
  CHECK_THROWS_WITH(decoded(joined(lacking)), ContainsSubstring("Inconsistent progression"));
  // Without any scan of the means.
  lacking = scans;
  lacking[0] = lacking[0].substr(0, lacking[0].find("\xFF\xDA"));
  lacking.erase(lacking.begin() + 4);
  CHECK_THROWS_WITH(decoded(joined(lacking)), ContainsSubstring("has no scan"));
  // The means after the coefficients: an unusual order, and the same pixels.
  auto late = scans;
  late[0] = late[0].substr(0, late[0].find("\xFF\xDA"));
  late.insert(late.begin() + 3, mean);
  CHECK(decoded(joined(late)).values == pixels);
}

TEST_CASE("bytes between the last JPEG pixel and the end are noted, and earlier ones refused", "[unit][image]") {
  std::string file = made_jpeg(two_halves(50, 200));
  const auto pixels = decoded(file).values;
  file.insert(file.size() - 2, "padding");
  CHECK(decoded(file).values == pixels);
  CHECK(is_odd(file, images::Oddity::bytes_after_scan));
  MadeJpeg made = flat({100});
  made.is_progressive = true;
  auto scans = scans_of(made_jpeg(made));
  scans[1] += std::string(100, 'x');  // more than libjpeg reads ahead
  CHECK_THROWS_WITH(decoded(joined(scans)), ContainsSubstring("extraneous bytes"));
}

TEST_CASE("an unknown color transform of Adobe's marker is noted", "[unit][image]") {
  const MadeJpeg made = flat({200, 100, 50});
  const std::string plain = made_jpeg(made);
  // Version, two flags, and the transform 7.
  const std::string marker = std::string("\xFF\xEE\0\x0E", 4) + "Adobe" + std::string("\0\x64\0\0\0\0\7", 7);
  // Without JFIF's marker, whose color model would count.
  const std::string file = plain.substr(0, 2) + marker + plain.substr(20);
  CHECK(is_near(decoded(file).values, {200, 100, 50}));
  CHECK(is_odd(file, images::Oddity::adobe_transform));
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
  auto scans = scans_of(made_jpeg(made));
  const std::string mean = scans[0].substr(scans[0].find("\xFF\xDA"));
  scans.insert(scans.begin() + 1, 100, mean);
  REQUIRE_THROWS_WITH(decoded(joined(scans)), ContainsSubstring("more than 100 scans"));
}

TEST_CASE("a JPEG that changed since its header was read is refused", "[unit][image]") {
  check_other_sizes_are_refused(made_jpeg({.values = std::vector<std::uint8_t>(64, 7)}));
}
