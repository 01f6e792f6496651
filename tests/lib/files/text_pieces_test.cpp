#include "files/text_pieces.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

namespace {

std::string text_in(const std::string& bytes) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", bytes);
  return read_text(*open_stream(folder / "a.txt"), 1 << 20);
}

using std::string_literals::operator""s;

}  // namespace

TEST_CASE("text is read as UTF-8 whatever marks its encoding", "[unit][files]") {
  CHECK(text_in("") == "");
  CHECK(text_in("\xEF\xBB\xBF") == "");
  CHECK(text_in("\xEF\xBB\xBF"
                "a\xC3\xA9") == "a\xC3\xA9");
  // "ab" and U+00E9, U+20AC, U+1F600, of 2, 3 and 4 bytes in UTF-8.
  const std::string big = "\0a\0b\0\xE9\x20\xAC\xD8\x3D\xDE\x00"s, wanted = "ab\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  std::string little = big;
  for (std::size_t at = 0; at < little.size(); at += 2) std::swap(little[at], little[at + 1]);
  for (const std::string& bytes : {big, little, "\xFE\xFF" + big, "\xFF\xFE" + little}) CHECK(text_in(bytes) == wanted);
}

TEST_CASE("malformed UTF-16 is refused wherever its pieces end", "[unit][files]") {
  // A piece has 64 KiB, so that the half of a character is in the middle of one, at its end, or alone in the last.
  for (const std::size_t units : {2, 32'766, 32'767, 32'768}) {
    INFO(units);
    std::string bytes = "\xFF\xFE";
    for (std::size_t i = 0; i < units; ++i) bytes += "a\0"s;
    CHECK(text_in(bytes) == std::string(units, 'a'));
    CHECK_THROWS_WITH(text_in(bytes + "\x3D\xD8"), ContainsSubstring("a.txt") && ContainsSubstring("not valid UTF-16"));
    CHECK_THROWS_WITH(text_in(bytes + "\0\xDE"s), ContainsSubstring("not valid UTF-16"));
    CHECK_THROWS_WITH(text_in(bytes + "a"), ContainsSubstring("not valid UTF-16"));
    CHECK(text_in(bytes + "\x3D\xD8\0\xDE"s) == std::string(units, 'a') + "\xF0\x9F\x98\x80");
  }
}
