#include "images/pnm_decoder.hpp"

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

TEST_CASE("PAM files are gray or RGB with or without alpha", "[unit][image]") {
  const auto head = [](int depth) {
    return "P7\nWIDTH 1\nHEIGHT 1\n# a comment\nDEPTH " + std::to_string(depth) +
           "\nMAXVAL 255\nTUPLTYPE WHATEVER\nENDHDR\n";
  };
  CHECK(decoded(head(1) + "\x09").values == Values{9});
  CHECK(decoded(head(3) + "\x01\x02\x03").values == Values{1, 2, 3});
  // 51 / 255 = 1/5: 100/5 + 4*b/5.
  CHECK(decoded(head(2) + "\x64\x33", {0, 0, 0}).values == Values{20});
  CHECK(decoded(head(2) + "\x64\x33", {10, 20, 30}).values == Values{28, 36, 44});
  CHECK(decoded(head(4) + text_of({100, 0, 200, 51}), {10, 20, 30}).values == Values{28, 16, 64});
  CHECK_THROWS_WITH(decoded(head(5) + "12345"), ContainsSubstring("5 channels"));
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
