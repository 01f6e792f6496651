// Replaces gif_decoder_test.cpp in a build without the library.
#include "damage.hpp"

using namespace octavo;

TEST_CASE("without its library a GIF file is recognized and refused with the remedy", "[unit][image]") {
  const std::string file = std::string("GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0", 23);
  CHECK(test::claim_refusal(file) == "accepted");
  CHECK_THROWS_AS(test::decoded(file), Unavailable);
  CHECK_THROWS_WITH(test::decoded(file), ContainsSubstring("install libgif-dev"));
}
