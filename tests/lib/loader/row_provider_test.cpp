// What a gather knows about each sample of a batch: its row, its index and its epoch.
#include "loader/rows/row_provider.hpp"

#include <algorithm>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "store/stored_samples.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr std::int64_t N = 50;

LoadOptions with_residency(Residency residency) {
  LoadOptions options;
  options.residency = residency;
  if (residency == Residency::hybrid) options.resident_count = 20;
  if (residency == Residency::window) options.window_samples = 15;
  return options;
}

/// The orders that a residency can serve.
std::vector<Shuffle> orders_of(Residency residency) {
  if (residency == Residency::window) return {Shuffle(false), Shuffle::windows(15)};
  return {Shuffle(false), Shuffle(true), Shuffle::blocks(), Shuffle::windows(15)};
}

}  // namespace

TEST_CASE("every residency provides the index and the epoch of each sample of a batch", "[unit][loader]") {
  const PackedFixture fixture({random_split("train", N, {1, 2, 3})});
  for (const Residency residency : {Residency::device, Residency::hybrid, Residency::streamed, Residency::window}) {
    const Store store = Store::load(fixture.dataset().split("train"), Device::cpu(), with_residency(residency));
    for (const Shuffle shuffle : orders_of(residency)) {
      const loader::BatchOrder order({.batch_size = 8, .shuffle = shuffle, .seed = 3, .prefetch = 2}, N);
      const auto provider = loader::make_row_provider(store.samples(), order);
      for (const std::int64_t epoch : {0, 1, 5}) {
        for (const std::int64_t step : {0, 1, 6}) {
          INFO(to_string(residency) << " " << to_string(shuffle) << " epoch " << epoch << " step " << step);
          const std::vector<std::int64_t> indices = order.indices(epoch, step);
          bool was_called = false;
          provider->with_batch(epoch, step, {}, [&](const auto& samples, const auto& selection, std::int64_t count) {
            was_called = true;
            REQUIRE(count == static_cast<std::int64_t>(indices.size()));
            for (std::int64_t b = 0; b < count; ++b) {
              const kernels::SelectedSample sample = kernels::sample_at(selection, b);
              REQUIRE(sample.index == indices[static_cast<std::size_t>(b)]);
              REQUIRE(sample.epoch == static_cast<std::uint64_t>(epoch));
              REQUIRE((sample.row >= 0 && sample.row < selection.row_count));
              const std::int8_t* codes = kernels::stored_row(samples.rows, sample.row);
              for (std::int64_t p = 0; p < 6; ++p) {
                REQUIRE(codes[p] + 128 == fixture.plain().value(sample.index, 0, p));
              }
            }
          });
          REQUIRE(was_called);
        }
      }
    }
  }
}

TEST_CASE("a cursor provides the epoch of each sample, also beyond the end of an epoch", "[unit][loader]") {
  // 10 samples in batches of 4 make two whole batches per epoch. From step 1 of epoch 2, two batches reach into
  // epoch 3.
  kernels::OrderCursor cursor = kernels::make_order_cursor(10, 9, true, 4, {0, 4}, 2, 1);
  const kernels::RowSelection selection = kernels::rows_at(&cursor, 10);
  for (std::int64_t b = 0; b < 8; ++b) {
    const kernels::SelectedSample sample = kernels::sample_at(selection, b);
    CHECK(sample.epoch == (b < 4 ? 2u : 3u));
    CHECK(sample.index == sample.row);
    CHECK(sample.row == kernels::permute(kernels::make_order_key(10, 9, sample.epoch, true), b < 4 ? 4 + b : b - 4));
  }
}
