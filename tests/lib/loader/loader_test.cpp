#include <octavo/loader.hpp>

#include <algorithm>
#include <octavo/errors.hpp>
#include <octavo/order.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"
#include "served.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

PackedFixture gray_fixture(std::int64_t N) { return PackedFixture({random_split("train", N, {1, 6, 5})}); }

void epochs_follow_the_order(Device device) {
  const PackedFixture fixture = gray_fixture(103);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  Loader loader(store, {.batch_size = 10, .shuffle = true, .seed = 9});
  REQUIRE(loader.batches_per_epoch() == 11);
  for (const std::int64_t epoch : {0, 1, 5}) {
    std::int64_t position = 0;
    std::vector<std::int32_t> seen(10, 0);
    for (const Batch& batch : loader.epoch(epoch)) {
      REQUIRE(batch.epoch() == epoch);
      REQUIRE(batch.step() == position / 10);
      REQUIRE(batch.size() == (batch.step() == 10 ? 3 : 10));
      for (const std::int32_t label : DeviceTensor::read<std::int32_t>(batch.labels())) {
        REQUIRE(label == shuffled_sample(9, static_cast<std::uint64_t>(epoch), position, 103) % 10);
        ++position;
      }
    }
    REQUIRE(position == 103);
  }
}

void prefetch_changes_no_bit(Device device) {
  const PackedFixture fixture = gray_fixture(101);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  for (const Center center : {Center::dataset, Center::batch}) {
    LoaderOptions options{.batch_size = 7, .shuffle = true, .seed = 3};
    options.spec.center = center;
    options.prefetch = 0;
    const Served plain = serve(store, options);
    for (const int prefetch : {1, 2, 3, 40}) {
      options.prefetch = prefetch;
      REQUIRE(serve(store, options) == plain);
    }
  }
}

void ranks_share_the_global_batches(Device device) {
  const PackedFixture fixture = gray_fixture(58);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  for (const bool drop_last : {true, false}) {
    const LoaderOptions whole{.batch_size = 20, .shuffle = true, .seed = 4, .drop_last = drop_last};
    Loader global(store, whole);
    for (const std::int64_t world_size : {2, 3, 7, 16}) {
      std::vector<Loader> ranks;
      for (std::int64_t rank = 0; rank < world_size; ++rank) {
        LoaderOptions options = whole;
        options.rank = rank;
        options.world_size = world_size;
        ranks.emplace_back(store, options);
        REQUIRE(ranks.back().batches_per_epoch() == global.batches_per_epoch());
      }
      std::vector<EpochRange::Iterator> places;
      for (Loader& loader : ranks) places.push_back(loader.epoch(2).begin());
      for (const Batch& batch : global.epoch(2)) {
        Served expected, joined;
        expected.add(batch);
        const std::int64_t least = batch.size() / world_size;
        for (EpochRange::Iterator& place : places) {
          REQUIRE(place != std::default_sentinel);
          REQUIRE((*place).size() >= least);
          REQUIRE((*place).size() <= least + 1);
          joined.add(*place);
          ++place;
        }
        REQUIRE(joined.values == expected.values);
        REQUIRE(joined.labels == expected.labels);
      }
      for (const EpochRange::Iterator& place : places) REQUIRE(place == std::default_sentinel);
    }
  }
}

void resuming_goes_on_where_it_stopped(Device device) {
  const PackedFixture fixture = gray_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  const LoaderOptions options{.batch_size = 5, .shuffle = true, .seed = 11};
  const Served whole = serve(store, options, 3);
  for (std::int64_t stop = 0; stop <= 20; ++stop) {
    Served served;
    LoaderState state;
    {
      Loader loader(store, options);
      state = loader.state();
      std::int64_t done = 0;
      for (std::int64_t epoch = 0; epoch < 3 && done < stop; ++epoch) {
        for (const Batch& batch : loader.epoch(epoch)) {
          served.add(batch);
          state = loader.state();
          if (++done == stop) break;
        }
      }
    }
    Loader loader(store, options);
    loader.restore(LoaderState::from_json(state.to_json()));
    for (std::int64_t epoch = state.epoch; epoch < 3; ++epoch) {
      for (const Batch& batch : loader.epoch(epoch)) served.add(batch);
    }
    REQUIRE(served == whole);
  }
}

void an_abandoned_epoch_harms_nothing(Device device) {
  const PackedFixture fixture = gray_fixture(60);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  for (const int prefetch : {0, 2}) {
    LoaderOptions options{.batch_size = 8, .shuffle = true, .seed = 2};
    options.prefetch = prefetch;
    const Served expected = serve(store, options, 1);
    Loader loader(store, options);
    for (const Batch& batch : loader.epoch(3)) {
      if (batch.step() == 2) break;
    }
    Served served;
    for (const Batch& batch : loader.epoch(0)) served.add(batch);
    REQUIRE(served == expected);
  }
}

}  // namespace

OCTAVO_CONTRACT(epochs_follow_the_order, "an epoch visits every sample once in its order", "[unit][loader]")
OCTAVO_CONTRACT(prefetch_changes_no_bit, "prefetching changes no bit", "[unit][loader]")
OCTAVO_CONTRACT(ranks_share_the_global_batches, "all ranks together serve the batches of one rank", "[unit][loader]")
OCTAVO_CONTRACT(resuming_goes_on_where_it_stopped, "a restored loader continues where it stopped", "[unit][loader]")
OCTAVO_CONTRACT(an_abandoned_epoch_harms_nothing, "an epoch that was left early does no harm", "[unit][loader]")

TEST_CASE("CUDA loaders serve the same bits as CPU loaders", "[unit][loader][cuda]") {
  const auto cuda = cuda_device();
  if (!cuda) OCTAVO_SKIP("no CUDA device");
  const PackedFixture fixture({random_split("train", 1000, {3, 32, 32})});
  const LoaderOptions options{.batch_size = 64, .shuffle = true, .seed = 5};
  REQUIRE(serve(Store::load(fixture.dataset().split("train"), *cuda), options) ==
          serve(Store::load(fixture.dataset().split("train"), Device::cpu()), options));
}

TEST_CASE("without shuffling samples are in file order", "[unit][loader]") {
  const PackedFixture fixture = gray_fixture(23);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  const Served served = serve(store, {.batch_size = 10}, 1);
  REQUIRE(served.labels == fixture.plain().labels);
  REQUIRE(served.sizes == std::vector<std::int64_t>{10, 10, 3});
}

TEST_CASE("drop_last leaves out the short batch", "[unit][loader]") {
  const PackedFixture fixture = gray_fixture(23);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  REQUIRE(serve(store, {.batch_size = 10, .drop_last = true}, 1).sizes == std::vector<std::int64_t>{10, 10});
  REQUIRE(serve(store, {.batch_size = 23, .drop_last = true}, 1).sizes == std::vector<std::int64_t>{23});
  REQUIRE(serve(store, {.batch_size = 100}, 1).sizes == std::vector<std::int64_t>{23});
}

TEST_CASE("invalid options are refused", "[unit][loader]") {
  const PackedFixture fixture = gray_fixture(10);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  const auto refuses = [&](LoaderOptions options) { REQUIRE_THROWS_AS(Loader(store, options), InvalidArgument); };
  refuses({.batch_size = 0});
  refuses({.batch_size = -3});
  refuses({.batch_size = 5, .rank = 2, .world_size = 2});
  refuses({.batch_size = 5, .rank = -1, .world_size = 2});
  refuses({.batch_size = 5, .world_size = 0});
  refuses({.batch_size = 11, .drop_last = true});
  refuses({.batch_size = 2, .world_size = 3});
  refuses({.batch_size = 100, .world_size = 11});
  refuses({.batch_size = std::int64_t{1} << 62});
  LoaderOptions options{.batch_size = 4, .world_size = 2};
  options.spec.center = Center::batch;
  refuses(options);
  Loader loader(store, {.batch_size = 4});
  REQUIRE_THROWS_AS(loader.epoch(-1), InvalidArgument);
}

TEST_CASE("a last batch with fewer samples than ranks is refused with the remedies", "[unit][loader]") {
  const PackedFixture fixture = gray_fixture(42);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  LoaderOptions options{.batch_size = 10, .rank = 2, .world_size = 3};
  REQUIRE_THROWS_WITH(
      Loader(store, options),
      ContainsSubstring("the last batch of an epoch has 2 samples for 3 ranks; use drop_last, carry_over"));
  options.drop_last = true;
  REQUIRE(Loader(store, options).batches_per_epoch() == 4);
  options.drop_last = false;
  options.carry_over = true;
  REQUIRE(Loader(store, options).batches_per_epoch() == 4);
}

TEST_CASE("labels with several numbers are served with their batch", "[unit][loader]") {
  PlainSplit split = random_split("train", 12, {1, 2, 2});
  split.label_width = 3;
  split.labels.clear();
  for (std::int32_t i = 0; i < 36; ++i) split.labels.push_back(i % 2);
  const PackedFixture fixture({split});
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  Loader loader(store, {.batch_size = 5});
  const Batch& batch = *loader.epoch(0).begin();
  REQUIRE(batch.labels().shape == std::vector<std::int64_t>{5, 3});
  const auto labels = batch.labels().ints();
  REQUIRE(std::equal(labels.begin(), labels.end(), split.labels.begin()));
}
