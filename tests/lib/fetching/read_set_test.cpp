// Parsing of set descriptions, which are untrusted input.
#include <fstream>
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace octavo;

namespace {

RemoteSet read(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "set.json") << text;
  return read_set(folder / "set.json");
}

const std::string kMd5 = R"("md5": "D41D8CD98F00B204E9800998ECF8427E")";

/// A set description whose first file has these fields.
std::string with_file(const std::string& fields) {
  return R"({"name": "s", "mirrors": ["http://h/"], "files": [{)" + fields + "}]}";
}

}  // namespace

TEST_CASE("a description covers all fields of a set", "[unit][fetch]") {
  const RemoteSet set = read(R"({"name": "my-set", "title": "Mine", "content": "one", "license": "MIT",
    "page": "https://h/", "mirrors": ["https://h/a/"], "pack": ["val=b.tar"],
    "files": [{"name": "b.tar", "bytes": 7, "urls": ["http://h/download?id=5"], )" +
                             kMd5 + R"(, "sha256": ")" + std::string(64, '0') + R"("}]})");
  CHECK(set.name == "my-set");
  CHECK(set.title == "Mine");
  CHECK(set.content == "one");
  CHECK(set.license == "MIT");
  CHECK(set.page == "https://h/");
  CHECK(set.mirrors == std::vector<std::string>{"https://h/a/"});
  CHECK(set.pack == std::vector<std::string>{"val=b.tar"});
  REQUIRE(set.files.size() == 1);
  CHECK(set.files[0].name == "b.tar");
  CHECK(set.files[0].bytes == 7);
  CHECK(set.files[0].md5 == "D41D8CD98F00B204E9800998ECF8427E");
  CHECK(set.files[0].sha256 == std::string(64, '0'));
  CHECK(set.files[0].urls == std::vector<std::string>{"http://h/download?id=5"});
}

TEST_CASE("optional fields of a description are empty by default", "[unit][fetch]") {
  const RemoteSet set = read(with_file(R"("name": "a", "bytes": 1, )" + kMd5));
  CHECK((set.title.empty() && set.pack.empty() && set.files[0].sha256.empty() && set.files[0].urls.empty()));
}

TEST_CASE("an invalid description is refused with the position", "[unit][fetch]") {
  const auto [text, problem] = GENERATE(table<std::string, std::string>(
      {{"", "is not valid JSON"},
       {"[]", "the description is not an object"},
       {"{}", "name is missing"},
       {R"({"name": "s", "files": []})", "files is empty"},
       {R"({"name": "a/b", "files": []})", "name is not of letters"},
       {R"({"name": "..", "files": []})", "name is not of letters"},
       {with_file(R"("name": "a", "bytes": 1)"), "files[0] has neither sha256 nor md5"},
       {with_file(R"("name": "a", "bytes": 1, "md5": "12")"), "files[0].md5 is not 32 hex digits"},
       {with_file(R"("name": "a", "bytes": 1, "sha256": "12")"), "files[0].sha256 is not 64 hex digits"},
       {with_file(R"("name": "a", "bytes": 0, )" + kMd5), "files[0].bytes is not at least 1"},
       {with_file(R"("name": "a", "bytes": -1, )" + kMd5), "files[0].bytes is not an integer"},
       {with_file(R"("name": "a", "bytes": 9223372036854775808, )" + kMd5), "files[0].bytes is not an integer"},
       {with_file(R"("name": "../a", "bytes": 1, )" + kMd5), "files[0] has a name with '/'"},
       {with_file(R"("name": "/a", "bytes": 1, )" + kMd5), "files[0] has a name with '/'"},
       {with_file(R"("name": ".octavo-fetch.lock", "bytes": 1, )" + kMd5), "files[0] has a name with '/', or '.'"},
       {with_file(R"("name": "a.part", "bytes": 1, )" + kMd5), "ends in .part"},
       {with_file(R"("name": "a\u0000", "bytes": 1, )" + kMd5), "control character"},
       {with_file(R"("name": ")" + std::string(241, 'a') + R"(", "bytes": 1, )" + kMd5), "1 to 240 bytes"},
       {with_file(R"("name": "a", "bytes": 1, "urls": ["ftp://h/a"], )" + kMd5), "neither http:// nor https://"},
       {with_file(R"("name": "a", "bytes": 1, "urls": ["http://h/a b"], )" + kMd5), "contains a space"},
       {with_file(R"("name": "a", "bytes": 1, "urls": [5], )" + kMd5),
        "files[0].urls has an entry that is not a string"},
       {R"({"name": "s", "mirrors": ["file:///etc/"], "files": []})", "mirrors has a URL that begins with neither"},
       {R"({"name": "s", "files": [{"name": "a", "bytes": 1, )" + kMd5 + "}]}", "the set has no mirrors"},
       {R"({"name": "s", "mirrors": ["http://h/"], "files": [{"name": "a", "bytes": 1, )" + kMd5 +
            R"(}, {"name": "a", "bytes": 1, )" + kMd5 + "}]}",
        "files[1] has the same name as another file"},
       {R"({"name": "s", "mirrors": ["http://h/"], "files": [{"name": "a", "bytes": 9223372036854775807, )" + kMd5 +
            R"(}, {"name": "b", "bytes": 1, )" + kMd5 + "}]}",
        "files[1].bytes is too large"},
       {R"({"name": "s", "mirrors": ["http://h/"], "pack": ["x=../a"], "files": [{"name": "a", "bytes": 1, )" + kMd5 +
            "}]}",
        "pack has an entry"}}));
  CHECK_THROWS_AS(read(text), FormatError);
  CHECK_THROWS_WITH(read(text), ContainsSubstring(problem) && ContainsSubstring("set.json"));
}
