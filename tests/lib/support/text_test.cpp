#include <octavo/text.hpp>

#include "catch.hpp"

using namespace octavo;

TEST_CASE("bytes that are not UTF-8 are written as numbers", "[unit][support]") {
  CHECK(as_utf8("caf\u00e9\n") == "caf\u00e9\n");
  CHECK(as_utf8("\xC3\xA8\xB9\xB7/1.png") == "\u00e8\\xB9\\xB7/1.png");
  CHECK(as_utf8("a\xE2\x82") == "a\\xE2\\x82");         // a character that is cut off
  CHECK(as_utf8("\xED\xA0\x80") == "\\xED\\xA0\\x80");  // a surrogate
  CHECK(as_utf8("\xC0\xAF") == "\\xC0\\xAF");           // an overlong slash
  CHECK(as_utf8("\U0001F431") == "\U0001F431");
  CHECK(as_utf8("").empty());
}

TEST_CASE("characters that control a terminal are replaced in text for people", "[unit][support]") {
  CHECK(printable("a\x1B[31m\tb\n\x7F") == "a?[31m?b??");
  CHECK(printable("\xC2\x9B[m") == "?[m");  // U+009B starts a control sequence
  CHECK(printable("\xC2\xA0\u00e9") == "\xC2\xA0\u00e9");
  CHECK(printable("a\u202Egnp.exe\u2066") == "a?gnp.exe?");   // reverses the text that follows
  CHECK(printable("\u2028\u200D\u2030") == "?\u200D\u2030");  // a joiner of emoji controls nothing
  CHECK(printable("\x80") == "\\x80");
}
