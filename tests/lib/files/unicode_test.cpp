#include "files/unicode.hpp"

#include "catch.hpp"

using octavo::files::normalized;

TEST_CASE("names are composed and other text stays as it is", "[unit][files]") {
  CHECK(normalized("cafe\u0301") == "caf\u00e9");
  CHECK(normalized("caf\u00e9") == "caf\u00e9");
  CHECK(normalized("\u1112\u1161\u11ab") == "\ud55c");  // a Korean syllable of three letters
  CHECK(normalized("cat") == "cat");
  CHECK(normalized("").empty());
  CHECK(normalized("\xC3(") == "\xC3(");    // not UTF-8
  CHECK(normalized("\ufb01") == "\ufb01");  // a ligature is another character, not another form of two
}
