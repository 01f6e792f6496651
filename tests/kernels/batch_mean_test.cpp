#include "kernels/cpu/batch_mean.hpp"

#include <vector>

#include "catch.hpp"

using namespace octavo::kernels;

TEST_CASE("a batch is centered on the mean of all its values", "[unit][kernels]") {
  // Two samples of two channels of two values. Rows 0 and 2: codes + 128 are 0,2 | 4,6 and 8,10 | 12,14: mean 7.
  const std::vector<std::int8_t> codes = {-128, -126, -124, -122, 99, 99, 99, 99, -120, -118, -116, -114};
  const std::vector<std::int64_t> rows = {0, 2};
  const std::vector<Quantization> quantization(2);
  const std::vector<double> divisors = {1.0, 2.0};
  std::vector<std::int64_t> sums(2, 0);
  std::vector<Affine> maps(2);
  const BatchMeanArgs args{{codes.data(), nullptr, 3, nullptr, nullptr, 4, 0},
                           2,
                           2,
                           given_rows(rows.data(), 3),
                           2,
                           quantization.data(),
                           divisors.data(),
                           sums.data(),
                           maps.data()};
  cpu::add_batch_sums(args, 0, 1, sums.data(), nullptr);
  cpu::add_batch_sums(args, 1, 2, sums.data(), nullptr);
  cpu::fold_batch_maps(args);
  REQUIRE(sums == std::vector<std::int64_t>{0 + 2 + 8 + 10, 4 + 6 + 12 + 14});
  REQUIRE(maps[0].scale == 1.0f);
  REQUIRE(maps[0].shift == 121.0f);  // 128 - 7
  REQUIRE(maps[1].scale == 0.5f);
  REQUIRE(maps[1].shift == 60.5f);
}
