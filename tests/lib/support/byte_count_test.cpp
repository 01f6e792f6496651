#include <octavo/byte_count.hpp>

#include <octavo/errors.hpp>
#include <octavo/memory_size.hpp>

#include "catch.hpp"

using namespace octavo;

TEST_CASE("memory sizes are parsed in powers of 1024 and of 1000", "[unit][support]") {
  REQUIRE(parse_byte_count("24GiB") == std::int64_t{24} << 30);
  REQUIRE(parse_byte_count("512 MiB") == std::int64_t{512} << 20);
  REQUIRE(parse_byte_count("80GB") == 80'000'000'000);
  REQUIRE(parse_byte_count("1.5KiB") == 1536);
  REQUIRE(parse_byte_count("4096") == 4096);
  REQUIRE(parse_byte_count("24G") == std::int64_t{24} << 30);
  REQUIRE(parse_byte_count("3K") == 3072);
  REQUIRE(parse_byte_count("7B") == 7);
  REQUIRE(parse_byte_count("2TiB") == std::int64_t{2} << 40);
  REQUIRE(parse_byte_count("24gib") == std::int64_t{24} << 30);
  REQUIRE(parse_byte_count("24 gb") == 24'000'000'000);
}

TEST_CASE("an invalid memory size is refused", "[unit][support]") {
  for (const char* text :
       {"", "GiB", "0", "-1GiB", "0.5", "1e30", "2097152TiB", "24gb/s", "24 GiB ", "nan", "inf", "1,5GiB", "24GiB/s"}) {
    INFO(text);
    REQUIRE_THROWS_AS(parse_byte_count(text), InvalidArgument);
  }
}

TEST_CASE("the size of a memory without a unit is refused unless it can be bytes", "[unit][support]") {
  REQUIRE(parse_memory_size("24GiB") == std::int64_t{24} << 30);
  REQUIRE(parse_memory_size("24B") == 24);
  REQUIRE(parse_memory_size("1048576") == 1048576);
  REQUIRE_THROWS_WITH(parse_memory_size("24"), "memory size \"24\" has no unit; write 24GiB, or 24B for bytes");
  REQUIRE_THROWS_WITH(parse_memory_size("90", "MiB"), "memory size \"90\" has no unit; write 90MiB, or 90B for bytes");
  REQUIRE_THROWS_AS(parse_memory_size("1048575"), InvalidArgument);
}
