#include "loader/batch_order.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"

using namespace octavo;

namespace {

std::vector<std::int64_t> rows_of_epoch(const loader::BatchOrder& order, std::int64_t epoch) {
  std::vector<std::int64_t> rows;
  for (std::int64_t step = 0; step < order.batches_per_epoch(epoch); ++step) {
    const std::vector<std::int64_t> batch = order.indices(epoch, step);
    rows.insert(rows.end(), batch.begin(), batch.end());
  }
  return rows;
}

}  // namespace

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
            .indices(epoch, step);
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
      for (std::int64_t step = 0; step < order.batches_per_epoch(2); ++step) {
        const auto selection = order.selection(2, step);
        REQUIRE(selection.has_value());
        const std::vector<std::int64_t> rows = order.indices(2, step);
        REQUIRE(static_cast<std::int64_t>(rows.size()) == order.part(2, step).count());
        for (std::size_t b = 0; b < rows.size(); ++b) {
          REQUIRE(kernels::row_at(*selection, static_cast<std::int64_t>(b)) == rows[b]);
        }
      }
    }
  }
}

TEST_CASE("batches that carry over are the epochs' samples one after another", "[unit][loader]") {
  const Sampling samplings[] = {
      {}, {.indices = {4, 40, 7, 9, 11, 13, 20}, .repeats = 3}, {.groups = {0, 1, 1, 0, 2, 1, 0, 1, 2, 0}}};
  for (const Sampling& sampling : samplings) {
    for (const bool is_shuffled : {false, true}) {
      const std::int64_t N = sampling.groups.empty() ? 47 : 10;
      LoaderOptions options = {.batch_size = 9, .shuffle = is_shuffled, .seed = 3, .sampling = sampling};
      const loader::BatchOrder kept(options, N);
      options.carry_over = true;
      const loader::BatchOrder carried(options, N);
      std::vector<std::int64_t> expected, rows, epochs, expected_epochs;
      for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
        const std::vector<std::int64_t> all = rows_of_epoch(kept, epoch);
        expected.insert(expected.end(), all.begin(), all.end());
        expected_epochs.insert(expected_epochs.end(), all.size(), epoch);
        for (std::int64_t step = 0; step < carried.batches_per_epoch(epoch); ++step) {
          const store::BatchRows batch = carried.rows(epoch, step);
          REQUIRE(std::ssize(batch.rows) == 9);
          rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
          if (batch.epochs.empty()) epochs.insert(epochs.end(), 9, epoch);
          epochs.insert(epochs.end(), batch.epochs.begin(), batch.epochs.end());
        }
        // The epoch has the batches that end in it.
        REQUIRE(std::ssize(rows) == std::ssize(expected) / 9 * 9);
      }
      expected.resize(rows.size());
      expected_epochs.resize(rows.size());
      REQUIRE(rows == expected);
      REQUIRE(epochs == expected_epochs);
    }
  }
}

TEST_CASE("ranks with equal shares have the batch, and then repeats of it", "[unit][loader]") {
  for (const bool carry_over : {false, true}) {
    LoaderOptions options = {.batch_size = 12, .shuffle = true, .seed = 5, .carry_over = carry_over};
    for (const std::int64_t N : {47, 37, 38, 48}) {
      options.world_size = 1;
      options.equal_shares = false;
      const loader::BatchOrder whole(options, N);
      options.equal_shares = true;
      for (options.world_size = 1; options.world_size <= 4; ++options.world_size) {
        for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
          for (std::int64_t step = 0; step < whole.batches_per_epoch(epoch); ++step) {
            std::vector<std::int64_t> rows, epochs;
            std::set<std::size_t> sizes;
            for (options.rank = 0; options.rank < options.world_size; ++options.rank) {
              const loader::BatchOrder order(options, N);
              store::BatchRows part = order.rows(epoch, step);
              REQUIRE(std::ssize(part.rows) == order.part(epoch, step).count());
              sizes.insert(part.rows.size());
              rows.insert(rows.end(), part.rows.begin(), part.rows.end());
              if (part.epochs.empty()) part.epochs.assign(part.rows.size(), epoch);
              epochs.insert(epochs.end(), part.epochs.begin(), part.epochs.end());
            }
            options.rank = 0;
            store::BatchRows all = whole.rows(epoch, step);
            if (all.epochs.empty()) all.epochs.assign(all.rows.size(), epoch);
            REQUIRE(sizes.size() == 1);
            REQUIRE(rows.size() - all.rows.size() < static_cast<std::size_t>(options.world_size));
            for (std::size_t i = 0; i < rows.size(); ++i) {
              REQUIRE(rows[i] == all.rows[i % all.rows.size()]);
              REQUIRE(epochs[i] == all.epochs[i % all.rows.size()]);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("ranks share batches that carry over", "[unit][loader]") {
  LoaderOptions options = {.batch_size = 10, .shuffle = true, .seed = 5, .carry_over = true};
  const loader::BatchOrder whole(options, 47);
  options.world_size = 3;
  for (std::int64_t epoch = 0; epoch < 12; ++epoch) {
    for (std::int64_t step = 0; step < whole.batches_per_epoch(epoch); ++step) {
      std::vector<std::int64_t> rows, epochs;
      for (options.rank = 0; options.rank < 3; ++options.rank) {
        const store::BatchRows part = loader::BatchOrder(options, 47).rows(epoch, step);
        rows.insert(rows.end(), part.rows.begin(), part.rows.end());
        if (part.epochs.empty()) epochs.insert(epochs.end(), part.rows.size(), epoch);
        epochs.insert(epochs.end(), part.epochs.begin(), part.epochs.end());
      }
      store::BatchRows all = whole.rows(epoch, step);
      if (all.epochs.empty()) all.epochs.assign(10, epoch);
      REQUIRE(rows == all.rows);
      REQUIRE(epochs == all.epochs);
    }
  }
}
