// Replaces webp_decoder_test.cpp in a build without the library.
#include "damage.hpp"

using namespace octavo;

TEST_CASE("without its library a WebP file is recognized and refused with the remedy", "[unit][image]") {
  const std::string file = std::string("RIFF\x16\0\0\0WEBPVP8L\x0A\0\0\0\x2F\0\0\0\0\0\0\0\0\0", 30);
  CHECK(test::claim_refusal(file) == "accepted");
  CHECK_THROWS_AS(test::decoded(file), Unavailable);
  CHECK_THROWS_WITH(test::decoded(file), ContainsSubstring("install libwebp-dev"));
}
