// URLs, and what of them is shown.
#include <octavo/errors.hpp>
#include <octavo/remote.hpp>

#include "catch.hpp"
#include "remote/url.hpp"

using namespace octavo;
using namespace octavo::remote;

TEST_CASE("a URL is divided into its parts", "[unit][remote]") {
  const Url url = parse_url("HTTPS://us%40er:p%3Aw:d@Example.ORG:8443/a b/\xC3\xA9.h5?x=1&y=%20#part");
  CHECK(url.scheme == "https");
  CHECK(url.user == "us@er");
  CHECK(url.password == "p:w:d");
  CHECK(url.host == "example.org");
  CHECK(url.authority() == "example.org:8443");
  CHECK(url.address() == "https://example.org:8443/a%20b/%C3%A9.h5?x=1&y=%20");
  CHECK(url.public_name() == "https://example.org:8443/a%20b/%C3%A9.h5");
  CHECK(parse_url("http://host").address() == "http://host/");
  CHECK(parse_url("http://host:80/a").authority() == "host");
  CHECK(parse_url("https://[::1]:9/a").authority() == "[::1]:9");
  CHECK(parse_url("http://host?q=/").path == "/");
}

TEST_CASE("invalid URLs are refused without what may be secret", "[unit][remote]") {
  for (const char* text : {"ftp://secret:secret@host/a", "https://secret:secret@/a", "http://secret@host:0/a",
                           "http://secret@host:70000/a", "http://secret@host:8x/a", "http://secret@ho st/a?secret",
                           "http://secret@host/a\nX: 1?secret", "http://secret@[::1/a", "host/a", "://a", ""}) {
    INFO(text);
    CHECK_THROWS_AS(parse_url(text), InvalidArgument);
    CHECK_THROWS_WITH(parse_url(text), !ContainsSubstring("secret"));
  }
}

TEST_CASE("shown locations have no credentials and no query", "[unit][remote]") {
  CHECK(shown_location("https://user:pass@host/a.h5?token=1#x") == "https://host/a.h5");
  CHECK(shown_location("https://user:p@ss@host/a.h5") == "https://host/a.h5");
  CHECK(shown_location("s3://bucket/key.h5") == "s3://bucket/key.h5");
  CHECK(shown_location("a folder/x?y@z.h5") == "a folder/x?y@z.h5");
  CHECK(is_url("S3://bucket/key"));
  CHECK(!is_url("file:///a.h5"));
  CHECK(!is_url("s3:/bucket"));
}

TEST_CASE("keys of objects are encoded byte by byte", "[unit][remote]") {
  CHECK(percent_encoded("a/b c+d=\xC3\xA4~-_.!") == "a/b%20c%2Bd%3D%C3%A4~-_.%21");
  CHECK(sibling_path("/data/dataset.json", "shard 0.h5") == "/data/shard%200.h5");
  CHECK(sibling_path("/dataset.json", "a.h5") == "/a.h5");
}
