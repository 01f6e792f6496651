#include "format/statistics/codes.hpp"

#include <vector>

#include "catch.hpp"

TEST_CASE("each of the 256 values becomes value - 128 and is restored", "[unit][quant]") {
  std::vector<std::uint8_t> bytes(256);
  for (int value = 0; value < 256; ++value) bytes[static_cast<std::size_t>(value)] = static_cast<std::uint8_t>(value);
  octavo::statistics::flip_top_bits(bytes);
  for (int value = 0; value < 256; ++value) {
    REQUIRE(static_cast<std::int8_t>(bytes[static_cast<std::size_t>(value)]) == value - 128);
  }
  octavo::statistics::flip_top_bits(bytes);
  for (int value = 0; value < 256; ++value) REQUIRE(bytes[static_cast<std::size_t>(value)] == value);
}

TEST_CASE("every length around the word width is converted completely", "[unit][quant]") {
  for (std::size_t length = 0; length <= 17; ++length) {
    std::vector<std::uint8_t> bytes(length, 0);
    octavo::statistics::flip_top_bits(bytes);
    REQUIRE(bytes == std::vector<std::uint8_t>(length, 0x80));
  }
}
