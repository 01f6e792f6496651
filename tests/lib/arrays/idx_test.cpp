#include "arrays/idx.hpp"

#include "catch.hpp"
#include "made_arrays.hpp"

using namespace octavo;
using namespace octavo::arrays;
using namespace octavo::test;

TEST_CASE("an IDX file is an array with its axes and big-endian numbers", "[unit][arrays]") {
  const auto bytes = open_idx(stream_of(idx({3, 2, 2}, counting(12))));
  CHECK(bytes->axes() == std::vector<std::int64_t>{3, 2, 2});
  CHECK(rows(*bytes, 1, 1) == counting(4, 4));
  std::string shorts = idx({2}, std::string("\x01\x02\xFF\xFE", 4));
  shorts[2] = 0x0B;
  const auto wide = open_idx(stream_of(shorts));
  CHECK(numbers_in<std::int16_t>(rows(*wide, 0, 2)) == std::vector<std::int16_t>{0x0102, -2});
}

TEST_CASE("an IDX file longer or shorter than its header says is refused", "[unit][arrays]") {
  CHECK_THROWS_AS(open_idx(stream_of(idx({3, 2, 2}, counting(11)))), FormatError);
  CHECK_THROWS_AS(open_idx(stream_of(idx({3, 2, 2}, counting(13)))), FormatError);
  CHECK_THROWS_AS(open_idx(stream_of(idx({0, 2, 2}, ""))), FormatError);
  CHECK_THROWS_AS(open_idx(stream_of(idx({3, 2, 2}, "").substr(0, 10))), FormatError);
  CHECK_THROWS_AS(open_idx(stream_of("")), FormatError);
  // The length of a gzip file is only known at its end.
  const auto longer = open_idx(sequential(idx({1, 2, 2}, counting(5))));
  CHECK_THROWS_AS(rows(*longer, 0, 1), FormatError);
}

TEST_CASE("only IDX files with one to four axes are recognized", "[unit][arrays]") {
  const auto is_magic = [](std::string bytes) { return is_idx_magic(std::as_bytes(std::span(bytes))); };
  CHECK(is_magic(std::string("\0\0\x08\x01", 4)));
  CHECK(is_magic(std::string("\0\0\x0E\x04", 4)));
  CHECK_FALSE(is_magic(std::string("\0\0\x08\x05", 4)));
  CHECK_FALSE(is_magic(std::string("\0\0\x08\0", 4)));
  CHECK_FALSE(is_magic(std::string("\0\0\x0A\x01", 4)));
  CHECK_FALSE(is_magic(std::string("\0\0\x08", 3)));
}
