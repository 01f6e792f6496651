#include "files/byte_stream.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::files;
using namespace octavo::test;

namespace {

/// Up to `count` bytes from `offset`, limited by the end of the stream.
std::string some_at(ByteStream& stream, std::int64_t offset, std::size_t count) {
  std::string text(count, '?');
  text.resize(stream.read_some_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

TEST_CASE("a plain file and bytes in memory are read from any offset up to their end", "[unit][files]") {
  const TemporaryFolder folder;
  write_file(folder / "a", "0123456789");
  const bool is_file = GENERATE(true, false);
  const auto stream = is_file ? open_stream(folder / "a") : stream_in_memory("\"a\"", "0123456789");
  CHECK(stream->is_random_access());
  CHECK(stream->length() == 10);
  CHECK(stream->most_bytes() == 10);
  CHECK(some_at(*stream, 0, 4) == "0123");
  CHECK(some_at(*stream, 8, 4) == "89");
  CHECK(some_at(*stream, 3, 2) == "34");
  CHECK(some_at(*stream, 10, 4).empty());
  CHECK(some_at(*stream, 1'000'000'000'000, 4).empty());
}

TEST_CASE("a read beyond the end reports the length and the name of the stream", "[unit][files]") {
  const auto stream = stream_in_memory("\"a.bin\"", "0123456789");
  std::array<std::byte, 4> bytes{};
  CHECK_NOTHROW(stream->read_at(6, bytes));
  CHECK_THROWS_WITH(stream->read_at(7, bytes),
                    ContainsSubstring("read \"a.bin\": it ends after 10 bytes; expected at least 11"));
  CHECK_NOTHROW(stream->expect_end(10));
  CHECK_THROWS_AS(stream->expect_end(9), FormatError);
}

TEST_CASE("a stream is read whole in pieces up to a limit", "[unit][files]") {
  // read_whole() uses blocks of 65,536 bytes.
  const std::size_t count = GENERATE(0u, 1u, 65'535u, 65'536u, 65'537u, 131'072u);
  const std::string bytes = counting(count);
  CHECK(stream_in_memory("a", bytes)->read_whole(static_cast<std::int64_t>(count)) == bytes);
  if (count > 0) {
    CHECK_THROWS_AS(stream_in_memory("a", bytes)->read_whole(static_cast<std::int64_t>(count) - 1), FormatError);
  }
}

TEST_CASE("an empty file is an empty stream and not a gzip file", "[unit][files]") {
  const TemporaryFolder folder;
  write_file(folder / "a", "");
  const auto stream = open_stream(folder / "a");
  CHECK(stream->length() == 0);
  CHECK_FALSE(begins_as_gzip(*stream));
  CHECK_THROWS_AS(open_stream(folder / "none"), IoError);
}

TEST_CASE("a forward-only stream can also be read from any offset", "[unit][files]") {
  const TemporaryFolder folder;
  // Three times the block size in which bytes are skipped.
  const std::string bytes = counting(200'000);
  write_file(folder / "a.gz", gzipped(bytes));
  const auto stream = open_stream(folder / "a.gz");
  CHECK_FALSE(stream->is_random_access());
  CHECK(some_at(*stream, 150'000, 10) == bytes.substr(150'000, 10));
  CHECK(some_at(*stream, 150'010, 10) == bytes.substr(150'010, 10));
  CHECK(some_at(*stream, 0, 10) == bytes.substr(0, 10));
  CHECK(some_at(*stream, 199'995, 10) == bytes.substr(199'995));
  CHECK(some_at(*stream, 200'001, 10).empty());
  CHECK(some_at(*stream, 65'536, 3) == bytes.substr(65'536, 3));
}
