// Fetched files are compared with the checksums of the set.
#include <algorithm>
#include <cctype>
#include <octavo/errors.hpp>

#include "catch.hpp"
#include "fetching.hpp"

using namespace octavo;
using namespace octavo::test;

TEST_CASE("either checksum is enough in letters of any case", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  RemoteSet set = served_set({server.url()});
  std::string upper = kServedMd5;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  set.files = {{.name = "a.bin", .bytes = 300'000, .md5 = upper}};
  CHECK_NOTHROW(fetch(set, folder / "md5", hasty()));
  set.files = {{.name = "a.bin", .bytes = 300'000, .sha256 = kServedSha256}};
  CHECK_NOTHROW(fetch(set, folder / "sha256", hasty()));
}

TEST_CASE("a wrong checksum is an error with both values and leaves nothing", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_damaged);
  CHECK_THROWS_AS(fetch(served_set({server.url()}), folder / "set", hasty()), FormatError);
  CHECK(server.requests().size() == 1);
  CHECK_THAT(failure({server.url()}, folder / "set"),
             ContainsSubstring("/set/a.bin\"") && ContainsSubstring("its SHA-256 is ") &&
                 ContainsSubstring(std::string(", not ") + kServedSha256) && ContainsSubstring("`mirror`"));
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("both checksums must match if both are known", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  RemoteSet set = served_set({server.url()});
  set.files[0].md5.back() = 'e';
  CHECK_THROWS_WITH(fetch(set, folder / "set", hasty()), ContainsSubstring("its MD5 is " + std::string(kServedMd5)));
}
