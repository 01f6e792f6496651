#include "loader/batch_order.hpp"

#include <fstream>
#include <sstream>

#include "catch.hpp"

using namespace octavo;

TEST_CASE("orders of blocks and windows give their known answers", "[unit][loader][golden]") {
  // Long batches list only their first and last four samples. From a second implementation of docs/numerics.md.
  std::ifstream file(std::string(OCTAVO_SOURCE_DIR) + "/tests/golden/batch_order.tsv");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string order, samples;
    std::int64_t N = 0, batch_size = 0, epoch = 0, step = 0;
    std::uint64_t seed = 0;
    fields >> order >> N >> batch_size >> seed >> epoch >> step >> samples;
    std::vector<std::int64_t> rows =
        loader::BatchOrder({.batch_size = batch_size, .shuffle = parse_shuffle(order), .seed = seed}, N)
            .rows(epoch, step);
    if (rows.size() > 9) rows.erase(rows.begin() + 4, rows.end() - 4);
    std::string actual;
    for (const std::int64_t row : rows) actual += (actual.empty() ? "" : ",") + std::to_string(row);
    INFO(line);
    REQUIRE(actual == samples);
    ++lines;
  }
  REQUIRE(lines > 100);
}

TEST_CASE("a kernel's selection matches the rows of the batch", "[unit][loader]") {
  for (const Shuffle shuffle : {Shuffle(false), Shuffle(true), Shuffle::blocks()}) {
    for (const std::int64_t rank : {0, 1, 2}) {
      const loader::BatchOrder order({.batch_size = 10, .shuffle = shuffle, .seed = 5, .rank = rank, .world_size = 3},
                                     47);
      for (std::int64_t step = 0; step < order.batches_per_epoch(); ++step) {
        const auto selection = order.selection(2, step);
        REQUIRE(selection.has_value());
        const std::vector<std::int64_t> rows = order.rows(2, step);
        REQUIRE(static_cast<std::int64_t>(rows.size()) == order.places(step).count);
        for (std::size_t b = 0; b < rows.size(); ++b) {
          REQUIRE(kernels::row_at(*selection, static_cast<std::int64_t>(b)) == rows[b]);
        }
      }
    }
  }
}
