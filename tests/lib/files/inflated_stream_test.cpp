#include <octavo/errors.hpp>

#include "catch.hpp"
#include "deflated.hpp"
#include "files/byte_stream.hpp"
#include "sources/made_files.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

namespace {

std::unique_ptr<ByteStream> inflated(const std::string& packed) {
  return inflate_gzip(stream_in_memory("\"a.gz\"", packed));
}

std::string whole(const std::string& packed) { return inflated(packed)->read_whole(1 << 20); }

}  // namespace

TEST_CASE("consecutive gzip members are one stream even if some are empty", "[unit][files]") {
  CHECK(whole(gzipped("")).empty());
  CHECK(whole(gzipped("abc")) == "abc");
  CHECK(whole(gzipped("abc") + gzipped("") + gzipped("def")) == "abcdef");
  CHECK(whole(gzipped("") + gzipped("")).empty());
}

TEST_CASE("inflated bytes are correct around the size of the input buffer", "[unit][files]") {
  // The input is read in blocks of 262,144 bytes; these bytes hardly compress.
  const std::size_t count = GENERATE(262'000u, 262'144u, 262'145u, 600'000u);
  std::string bytes(count, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  const std::string packed = gzipped(bytes);
  REQUIRE(packed.size() > 262'000);
  CHECK(inflated(packed)->read_whole(1 << 20) == bytes);
}

TEST_CASE("the length of an inflated stream is unknown but its maximum is known", "[unit][files]") {
  const auto stream = inflated(gzipped("abc"));
  CHECK_FALSE(stream->length().has_value());
  CHECK(stream->most_bytes() == 1032 * std::ssize(gzipped("abc")));
  CHECK(stream->name() == "\"a.gz\"");
}

TEST_CASE("a gzip file that is truncated or has a wrong checksum or trailing data is refused by name",
          "[unit][files]") {
  const std::string packed = gzipped(counting(1000));
  for (std::size_t length = 2; length < packed.size(); ++length) {
    INFO(length << " of " << packed.size() << " bytes");
    CHECK_THROWS_WITH(whole(packed.substr(0, length)), ContainsSubstring("\"a.gz\""));
  }
  std::string wrong = packed;
  wrong[packed.size() - 8] ^= 1;
  CHECK_THROWS_WITH(whole(wrong), ContainsSubstring("damaged"));
  CHECK_THROWS_AS(whole(packed + "behind it"), FormatError);
}

TEST_CASE("a zlib stream within a file ends at its own end mark", "[unit][files]") {
  const std::string packed = zlib_stream("abcdef");
  const auto part = [&](std::int64_t offset, std::int64_t length) {
    return inflate_part(stream_in_memory("a.mat", "before" + packed + "behind"), offset, length)->read_whole(100);
  };
  CHECK(part(6, std::ssize(packed)) == "abcdef");
  CHECK(part(6, std::ssize(packed) + 6) == "abcdef");
  CHECK_THROWS_AS(part(6, std::ssize(packed) - 1), FormatError);
  CHECK_THROWS_AS(part(5, std::ssize(packed)), FormatError);
  CHECK_THROWS_AS(part(6, 0), FormatError);
}
