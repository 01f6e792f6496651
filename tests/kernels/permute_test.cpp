#include "kernels/cpu/permute.hpp"

#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace octavo::kernels;

TEST_CASE("the order is a bijection for every N up to 3000 and around powers of two", "[unit][order]") {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= 3000; ++n) sizes.push_back(n);
  for (const std::int64_t n : {4095, 4096, 4097, 65535, 65536, 65537, 60000, 1 << 20}) sizes.push_back(n);
  for (const std::int64_t n : sizes) {
    const OrderKey key = make_order_key(n, static_cast<std::uint64_t>(n) * 31, 2, true);
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    for (std::int64_t position = 0; position < n; ++position) {
      const std::int64_t sample = permute(key, position);
      if (sample < 0 || sample >= n || seen[static_cast<std::size_t>(sample)])
        FAIL("N " << n << " position " << position);
      seen[static_cast<std::size_t>(sample)] = true;
    }
  }
}

TEST_CASE("large orders stay in range and do not repeat nearby", "[unit][order]") {
  for (const std::int64_t n :
       {(std::int64_t{1} << 31) + 11, (std::int64_t{1} << 40) - 3, std::int64_t{9223372036854775807}}) {
    const OrderKey key = make_order_key(n, 1, 1, true);
    std::int64_t previous = -1;
    for (std::int64_t position = n - 2000; position < n; ++position) {
      const std::int64_t sample = permute(key, position);
      REQUIRE((sample >= 0 && sample < n && sample != previous));
      previous = sample;
    }
  }
}

TEST_CASE("permuting many positions at once gives the same order", "[unit][order]") {
  for (const std::int64_t n : {1, 2, 10, 63, 64, 1000, 60000, 123456789}) {
    for (const bool shuffled : {true, false}) {
      const OrderKey key = make_order_key(n, 99, 4, shuffled);
      const std::int64_t count = std::min<std::int64_t>(n, 1003);
      for (const std::int64_t first : {std::int64_t{0}, n - count}) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(count), -5);
        cpu::permute_range(key, first, count, rows.data());
        for (std::int64_t i = 0; i < count; ++i) REQUIRE(rows[static_cast<std::size_t>(i)] == permute(key, first + i));
      }
    }
  }
}

TEST_CASE("seed and epoch each change the order", "[unit][order]") {
  const auto order = [](std::uint64_t seed, std::uint64_t epoch) {
    std::vector<std::int64_t> rows(100);
    cpu::permute_range(make_order_key(100, seed, epoch, true), 0, 100, rows.data());
    return rows;
  };
  REQUIRE(order(1, 0) != order(0, 1));
  REQUIRE(order(1, 0) != order(2, 0));
  REQUIRE(order(1, 0) != order(1, 1));
  REQUIRE(order(1, 0) == order(1, 0));
}

TEST_CASE("order version 1 gives its known answers", "[unit][order][golden]") {
  std::ifstream file(std::string(OCTAVO_SOURCE_DIR) + "/tests/golden/order.tsv");
  std::string heading;
  REQUIRE(std::getline(file, heading));
  std::int64_t n, position, sample;
  std::uint64_t seed, epoch;
  int vectors = 0;
  while (file >> n >> seed >> epoch >> position >> sample) {
    INFO("N " << n << " seed " << seed << " epoch " << epoch << " position " << position);
    REQUIRE(permute(make_order_key(n, seed, epoch, true), position) == sample);
    ++vectors;
  }
  REQUIRE(vectors >= 60);
}
