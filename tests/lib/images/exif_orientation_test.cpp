#include "images/exif_orientation.hpp"

#include "catch.hpp"
#include "made_images.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A little-endian block whose directory has these entries of 12 bytes, and `rest` after them.
std::string little_block(const std::vector<std::string>& entries, const std::string& rest = {}) {
  std::string block("II\x2A\0\x08\0\0\0", 8);
  block += static_cast<char>(entries.size());
  block += '\0';
  for (const std::string& entry : entries) block += entry;
  return block + std::string(4, '\0') + rest;
}

/// An entry of tag 274: its type, the number of values, and the field for the value or its offset.
std::string entry(int type, int count, std::uint32_t value) {
  std::string bytes("\x12\x01", 2);
  bytes += {static_cast<char>(type), '\0', static_cast<char>(count), '\0', '\0', '\0'};
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::optional<int> orientation(const std::string& block) { return images::exif_orientation(bytes_of(block)); }

}  // namespace

TEST_CASE("the EXIF orientation is read in both byte orders, with and without the marker", "[unit][image]") {
  for (int value = 1; value <= 8; ++value) {
    CHECK(orientation(exif_block(value)) == value);
    CHECK(orientation(exif_block(value).substr(6)) == value);
    CHECK(orientation(little_block({entry(3, 1, static_cast<std::uint32_t>(value))})) == value);
  }
  CHECK(orientation(exif_block(0)) == 1);
  CHECK(orientation(exif_block(9)) == 1);
}

TEST_CASE("the EXIF orientation may have any integer type, and several values", "[unit][image]") {
  for (const int type : {1, 3, 4, 6, 8, 9}) CHECK(orientation(little_block({entry(type, 1, 6)})) == 6);
  // 7 is bytes of any meaning, 11 a float.
  for (const int type : {0, 2, 5, 7, 11, 13}) CHECK_FALSE(orientation(little_block({entry(type, 1, 6)})));
  // Three values of 16 bits are not in the entry, but at byte 26, after the directory.
  CHECK(orientation(little_block({entry(3, 3, 26)}, std::string("\5\0\6\0\7\0", 6))) == 5);
  // 65,542 is 6 in its lower 16 bits.
  CHECK(orientation(little_block({entry(4, 1, 65'542)})) == 1);
}

TEST_CASE("an EXIF entry without a usable value does not hide a later one", "[unit][image]") {
  const std::string good = entry(3, 1, 8);
  CHECK(orientation(little_block({entry(3, 0, 3), good})) == 8);
  CHECK(orientation(little_block({entry(2, 1, 3), good})) == 8);
  CHECK(orientation(little_block({entry(3, 3, 0xFFFFFFFF), good})) == 8);
  CHECK(orientation(little_block({good, entry(3, 1, 2)})) == 8);
}

TEST_CASE("a damaged EXIF block has no orientation", "[unit][image]") {
  const std::string block = exif_block(6);
  // The value is at byte 24.
  for (std::size_t length = 0; length < 26; ++length) CHECK_FALSE(orientation(block.substr(0, length)));
  for (const std::size_t at : {6, 7, 9, 10, 11, 12, 13}) {
    std::string damaged = block;
    damaged[at] = '\x7F';
    CHECK_FALSE(orientation(damaged));
  }
}
