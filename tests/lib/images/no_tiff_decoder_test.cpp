// Replaces tiff_decoder_test.cpp in a build without the library.
#include "damage.hpp"

using namespace octavo;

TEST_CASE("without its library a TIFF file is recognized and refused with the remedy", "[unit][image]") {
  const std::string file = std::string("II*\0\x08\0\0\0\2\0\0\1\3\0\1\0\0\0\1\0\0\0\1\1\3\0\1\0\0\0\1\0\0\0", 34);
  CHECK(test::claim_refusal(file) == "accepted");
  CHECK_THROWS_AS(test::decoded(file), Unavailable);
  CHECK_THROWS_WITH(test::decoded(file), ContainsSubstring("install libtiff-dev"));
}
