#include "format/index/header.hpp"

#include <cstdint>
#include <cstring>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/version.hpp>
#include <tuple>

#include "catch.hpp"
#include "forge.hpp"
#include "small_file.hpp"
#include "temporary_folder.hpp"

using octavo::dataset_file::Header;
using octavo::test::TemporaryFolder;

namespace {

std::string reason_of(const std::filesystem::path& path) {
  try {
    octavo::Dataset::open(path);
  } catch (const octavo::FormatError& problem) {
    return problem.what();
  }
  return "opened";
}

}  // namespace

TEST_CASE("the header's bytes match docs/format.md", "[unit][archive]") {
  const auto bytes = octavo::dataset_file::encode_header({1, 0x0807060504030201, 4096, 77, 0x1122334455667788, 5});
  const std::uint8_t expected[56] = {
      'O', 'C', 'T', 'A', 'V', 'O', '\r', '\n', 1,    0,    0,    0,    0,    0,    0,    0,  //
      1,   2,   3,   4,   5,   6,   7,    8,    0,    0x10, 0,    0,    0,    0,    0,    0,  //
      77,  0,   0,   0,   0,   0,   0,    0,    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 5, 0, 0, 0, 0, 0, 0, 0};
  REQUIRE(std::memcmp(bytes.data(), expected, sizeof expected) == 0);
  for (std::size_t i = sizeof expected; i < 4088; ++i) REQUIRE(bytes[i] == std::byte{0});
  std::uint64_t hash = 0;
  std::memcpy(&hash, bytes.data() + 4088, 8);
  REQUIRE(hash == XXH3_64bits(bytes.data(), 4088));
}

TEST_CASE("an encoded header is decoded to the same fields", "[unit][archive]") {
  const Header header = octavo::dataset_file::decode_header(octavo::dataset_file::encode_header({1, 2, 3, 4, 5, 6}));
  REQUIRE(header.version == 1);
  REQUIRE(header.file_length == 2);
  REQUIRE(header.index_offset == 3);
  REQUIRE(header.index_length == 4);
  REQUIRE(header.index_hash == 5);
  REQUIRE(header.metadata_hash == 6);
}

TEST_CASE("a file of a newer format version is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  Header header = octavo::test::header_of(folder / "a.h5");
  header.version = octavo::kFormatVersion + 1;
  octavo::test::write_header(folder / "a.h5", header);
  REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("format version 5, but this build reads up to 4"));
  header.version = 0;
  octavo::test::write_header(folder / "a.h5", header);
  REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("format version 0"));
}

TEST_CASE("a forged header that points outside the file is refused", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const Header whole = octavo::test::header_of(folder / "a.h5");
  const std::int64_t value =
      GENERATE(std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{4095}, std::int64_t{1} << 31,
               std::int64_t{1} << 32, INT64_MAX, INT64_MIN, INT64_MIN + 1);
  for (auto field : {&Header::file_length, &Header::index_offset, &Header::index_length}) {
    Header header = whole;
    header.*field = value;
    octavo::test::write_header(folder / "a.h5", header);
    REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("a.h5"));
  }
}

TEST_CASE("a truncated file is refused with what can help", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  for (const std::size_t length : {bytes.size() - 1, bytes.size() / 2, std::size_t{4096}}) {
    octavo::test::write_bytes(folder / "a.h5", {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("truncated") && ContainsSubstring("download it again") &&
                                                 !ContainsSubstring("reindex"));
  }
}

TEST_CASE("a shorter file that another program has rewritten is refused with a hint to `octavo reindex`",
          "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  bytes.resize(bytes.size() - 8);
  // Superblocks of versions 3 and 0: where they have the width of addresses, and the address of the end.
  const auto [version, width_offset, end_offset] = GENERATE(std::tuple(3, 9, 28), std::tuple(0, 13, 40));
  const std::uint64_t end = bytes.size();
  bytes[4096 + 8] = static_cast<std::byte>(version);
  bytes[static_cast<std::size_t>(4096 + width_offset)] = std::byte{8};
  std::memcpy(bytes.data() + 4096 + end_offset, &end, sizeof end);
  octavo::test::write_bytes(folder / "a.h5", bytes);
  REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("another program has rewritten it") &&
                                               ContainsSubstring("octavo reindex") && !ContainsSubstring("truncated"));
}

TEST_CASE("an edit by another program is refused with a hint to `octavo reindex`", "[unit][archive]") {
  const TemporaryFolder folder;
  octavo::test::write_small_file(folder / "a.h5");
  const auto bytes = octavo::test::bytes_of_file(folder / "a.h5");
  auto longer = bytes;
  longer.push_back(std::byte{0});
  octavo::test::write_bytes(folder / "a.h5", longer);
  REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("octavo reindex"));
  auto edited = bytes;
  edited[4096 + 20] ^= std::byte{1};
  octavo::test::write_bytes(folder / "a.h5", edited);
  REQUIRE_THAT(reason_of(folder / "a.h5"), ContainsSubstring("octavo reindex"));
}
