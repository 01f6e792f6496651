#include "kernels/cpu/row_copy.hpp"

#include <vector>

#include "catch.hpp"

using namespace octavo::kernels;

TEST_CASE("float32 rows are copied in the order of the epoch, with their labels", "[unit][kernels]") {
  constexpr std::int64_t N = 11, S = 5, B = 11;
  std::vector<float> rows(N * S);
  std::vector<std::uint32_t> labels(N);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(100 + i);
  std::vector<float> out(B * S);
  std::vector<std::uint32_t> out_labels(B);
  const OrderKey order = make_order_key(N, 5, 0, true);
  cpu::row_copy({rows.data(), S, rows_in_order(order, 0, 0), B, out.data(), labels.data(), 1, out_labels.data()}, 0, B);
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t row = permute(order, b);
    REQUIRE(out_labels[static_cast<std::size_t>(b)] == static_cast<std::uint32_t>(100 + row));
    for (std::int64_t i = 0; i < S; ++i) {
      REQUIRE(out[static_cast<std::size_t>(b * S + i)] == static_cast<float>(row * S + i));
    }
  }
}
