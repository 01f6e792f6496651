#include "images/pnm/pnm_decoder.hpp"

#include "damage.hpp"

using namespace octavo;
using namespace octavo::test;
using Values = std::vector<std::uint8_t>;

TEST_CASE("plain PNM files hold decimal numbers", "[unit][image]") {
  const auto bitmap = decoded("P1 # black is 1\n3 2\n1 0 1\n0#\n10");
  CHECK(bitmap.width == 3);
  CHECK(bitmap.height == 2);
  CHECK(bitmap.channels == 1);
  CHECK(bitmap.values == Values{0, 255, 0, 255, 0, 255});
  // 1 of 10 is 25.5, rounded to 26; 10 of 10 is 255.
  CHECK(decoded("P2\n3 1\n10\n0 1\t10").values == Values{0, 26, 255});
  const auto color = decoded("P3\n2 1\n255\n1 2 3\n250 251 252\n");
  CHECK(color.channels == 3);
  CHECK(color.values == Values{1, 2, 3, 250, 251, 252});
}

TEST_CASE("raw PNM files hold bits or bytes or pairs of bytes", "[unit][image]") {
  // Rows of bits begin at a byte boundary.
  CHECK(decoded("P4\n2 2\n" + text_of({0b10000000, 0b01000000})).values == Values{0, 255, 255, 0});
  CHECK(decoded("P5\n2 1\n255\n" + text_of({7, 200})).values == Values{7, 200});
  CHECK(decoded("P5 2 1 51 " + text_of({1, 51})).values == Values{5, 255});
  // 0x0080 = 128: 256 / 257 = 0; 0x0081: 257 / 257 = 1.
  CHECK(decoded("P5\n2 1\n65535\n" + text_of({0x00, 0x80, 0x00, 0x81})).values == Values{0, 1});
  CHECK(decoded("P6\n1 1\n255\n" + text_of({9, 8, 7})).values == Values{9, 8, 7});
  // 256 of 1023: 63.8.
  CHECK(decoded("P6\n1 1\n1023\n" + text_of({0x01, 0x00, 0x03, 0xFF, 0, 0})).values == Values{64, 255, 0});
}

namespace {

/// The header of a PAM file of one pixel.
std::string pam_head(int depth, const std::string& tuple_type) {
  return "P7\nWIDTH 1\nHEIGHT 1\n# a comment\nDEPTH " + std::to_string(depth) + "\nMAXVAL 255\n" + tuple_type +
         "ENDHDR\n";
}

}  // namespace

TEST_CASE("PAM files are gray or RGB with or without alpha", "[unit][image]") {
  for (const char* type : {"", "TUPLTYPE GRAYSCALE\n", "TUPLTYPE WHATEVER\n"}) {
    CHECK(decoded(pam_head(1, type) + "\x09").values == Values{9});
  }
  for (const char* type : {"", "TUPLTYPE RGB\n", "TUPLTYPE \t RGB \r\n"}) {
    const std::string file = pam_head(3, type) + "\x01\x02\x03";
    CHECK_FALSE(images::parse_header(bytes_of(file), true)->has_bands);
    CHECK(decoded(file).values == Values{1, 2, 3});
  }
  // 51 / 255 = 1/5: 100/5 + 4*b/5.
  const std::string gray = pam_head(2, "TUPLTYPE GRAYSCALE_ALPHA\n") + "\x64\x33";
  CHECK(decoded(gray, {0, 0, 0}).values == Values{20});
  CHECK(decoded(gray, {10, 20, 30}).values == Values{28, 36, 44});
  CHECK(decoded(pam_head(4, "TUPLTYPE RGB_ALPHA\n") + text_of({100, 0, 200, 51}), {10, 20, 30}).values ==
        Values{28, 16, 64});
  CHECK_THROWS_WITH(decoded(pam_head(4097, "")), ContainsSubstring("4097 channels"));
}

TEST_CASE("the channels of PAM files of other tuple types are bands", "[unit][image]") {
  const auto check_bands = [](int depth, const std::string& type, const Values& values) {
    const std::string file = pam_head(depth, type) + text_of(values);
    const auto header = images::parse_header(bytes_of(file), true);
    CHECK(header->has_bands);
    CHECK(header->channels == depth);
    CHECK(decoded(file, {10, 20, 30}).values == values);
  };
  check_bands(2, "", {100, 51});
  check_bands(2, "TUPLTYPE COMPLEX\n", {100, 51});
  check_bands(3, "TUPLTYPE HSV\n", {1, 2, 3});
  check_bands(4, "", {100, 0, 200, 51});
  check_bands(4, "TUPLTYPE CMYK\n", {100, 0, 200, 51});
  // Several lines are one type.
  check_bands(4, "TUPLTYPE RGB_ALPHA\nTUPLTYPE inverted\n", {100, 0, 200, 51});
  check_bands(5, "TUPLTYPE five bands\n", {1, 2, 3, 4, 5});
}

TEST_CASE("a comment after the maximum is skipped wherever it ends", "[unit][image]") {
  const auto check = [](const std::string& head, bool is_odd_place) {
    const std::string file = head + text_of({7, 200});
    INFO(head);
    CHECK(decoded(file).values == Values{7, 200});
    CHECK(is_odd(file, images::Oddity::comment_before_pixels) == is_odd_place);
  };
  // As in the format's description and Pillow, with another character before the pixels; as in libnetpbm, without.
  check("P5 2 1 255# comment\n\n", false);
  check("P5 2 1 255#\r ", false);
  check("P5 2 1 255# comment\n", false);
  check("P5 2 1 255#one\n#two\n", false);
  // The format has no comment there, but without it, there are exactly the pixels.
  check("P5 2 1 255 # comment\n", true);
  check("P5\n2 1\n255\n# one\n# two\n", true);
  check("P5 2 1 255  #\r\n", true);
  // A pixel of the value 35 is not a comment.
  CHECK(decoded("P5 2 1 255 #\n").values == Values{35, 10});
  CHECK(decoded("P5 2 1 255 ##").values == Values{35, 35});
  CHECK(decoded("P5 2 1 255 #\n12 and more").values == Values{35, 10});
  CHECK(decoded("P4 2 1# comment\n\n\x80").values == Values{0, 255});
  CHECK(decoded("P2 2 1 255# comment\n7 200").values == Values{7, 200});
}

TEST_CASE("further images in a PNM file are noted", "[unit][image]") {
  CHECK_FALSE(is_odd("P5 2 1 255 ab", images::Oddity::more_pages));
  CHECK_FALSE(is_odd("P5 2 1 255 ab\n", images::Oddity::more_pages));
  CHECK(is_odd("P5 2 1 255 abP5 2 1 255 cd", images::Oddity::more_pages));
}

TEST_CASE("unreadable PNM files are refused with the reason", "[unit][image]") {
  CHECK_THROWS_WITH(decoded("P5\n1 1\n0\n1"), ContainsSubstring("largest value is 0"));
  CHECK_THROWS_WITH(decoded("P5\n1 1\n65536\n1"), ContainsSubstring("above 65535"));
  CHECK_THROWS_WITH(decoded("P5\n1 -1\n255\n1"), ContainsSubstring("where a PNM file needs a number"));
  CHECK_THROWS_WITH(decoded("P5\n1 1\n5\n\x06"), ContainsSubstring("above the largest"));
  CHECK_THROWS_WITH(decoded("P2\n1 1\n5\n6 "), ContainsSubstring("above 5"));
  CHECK_THROWS_WITH(decoded("P1\n1 1\n2"), ContainsSubstring("neither 0 nor 1"));
  CHECK_THROWS_WITH(decoded("P2\n1 1\n5\n" + std::string(60, '0')), ContainsSubstring("word too long"));
  CHECK_THROWS_WITH(decoded("P5\n#" + std::string(70'000, 'x')), ContainsSubstring("64 KiB"));
  CHECK_THROWS_WITH(decoded("P7\nDEPTH 1\nENDHDR\n0"), ContainsSubstring("0"));
  CHECK_THAT(claim_refusal("P6\n30000 3000\n255\n"), ContainsSubstring("cannot hold"));
  CHECK_THAT(claim_refusal("P5\n99999999999999999999 1\n255\n"), ContainsSubstring("above 2147483647"));
}

TEST_CASE("damaged PNM files are either refused or decoded", "[unit][image]") {
  for (const std::string file : {"P5\n3 2\n255\nabcdef", "P6 1 2 300 \1\1\1\1\1\1\1\1\1\1\1\1", "P4\n9 1\nab",
                                 "P7\nWIDTH 1\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nENDHDR\nabcd"}) {
    check_cuts_are_refused(file);
    check_flips_do_no_harm(file);
  }
  check_flips_do_no_harm("P3\n1 1\n255\n12 34 56 ");
  check_flips_do_no_harm("P1\n3 2\n1 0 1 0 1 0");
}

TEST_CASE("a PNM file that changed since its header was read is refused", "[unit][image]") {
  check_other_sizes_are_refused("P5 2 1 255 ab");
  check_other_sizes_are_refused("P5 2 1 65535 abcd");
}
