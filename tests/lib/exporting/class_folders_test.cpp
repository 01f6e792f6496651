// Names of exported files.
#include "exporting/class_folders.hpp"

#include "catch.hpp"

using octavo::exporting::padded;
using octavo::exporting::safe_name;

TEST_CASE("numbers are zero-padded to the length of the largest", "[unit][export]") {
  CHECK(padded(0, 9) == "0");
  CHECK(padded(7, 10) == "07");
  CHECK(padded(99, 100) == "099");
  CHECK(padded(100, 100) == "100");
}

TEST_CASE("a class name becomes a safe folder name", "[unit][export]") {
  CHECK(safe_name("T-shirt/top") == "T-shirt_top");
  CHECK(safe_name("..") == "__");
  CHECK(safe_name(".hidden.png") == "_hidden.png");
  CHECK(safe_name("a\nb\tc\x7F") == "a_b_c_");
  CHECK(safe_name("\xC3\xA4pfel und Birnen") == "\xC3\xA4pfel und Birnen");
  CHECK(safe_name("").empty());
}

TEST_CASE("a long class name is cut between two characters", "[unit][export]") {
  // 199 bytes, then a character of two bytes: a cut at 200 would split it.
  const std::string name = std::string(199, 'x') + "\xC3\xA4" + "y";
  CHECK(safe_name(name) == std::string(199, 'x'));
  CHECK(safe_name(std::string(200, 'x')) == std::string(200, 'x'));
}
