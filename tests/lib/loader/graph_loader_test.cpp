#include <octavo/graph_loader.hpp>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

PackedFixture whole_fixture(std::int64_t N) { return PackedFixture({random_split("train", N, {2, 3, 5})}); }

LoaderOptions whole_batches(std::int64_t batch_size) {
  return {.batch_size = batch_size, .shuffle = true, .seed = 9, .drop_last = true};
}

/// The values and labels of all batches, in order.
struct ServedFloats {
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  bool operator==(const ServedFloats&) const = default;

  void add(const TensorView& images, const TensorView& batch_labels) {
    const auto more = DeviceTensor::read<float>(images);
    const auto more_labels = DeviceTensor::read<std::int32_t>(batch_labels);
    values.insert(values.end(), more.begin(), more.end());
    labels.insert(labels.end(), more_labels.begin(), more_labels.end());
  }
};

ServedFloats by_loader(const Store& store, const LoaderOptions& options, std::int64_t epochs) {
  Loader loader(store, options);
  ServedFloats served;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const Batch& batch : loader.epoch(epoch)) served.add(batch.images(), batch.labels());
  }
  return served;
}

ServedFloats by_graph_loader(const Store& store, const LoaderOptions& options, std::int64_t epochs,
                             std::int64_t batches_per_launch) {
  GraphLoader loader(store, options, batches_per_launch);
  const std::int64_t count = loader.samples_per_launch();
  const DeviceTensor images(store.device(), DType::float32, {count, 2, 3, 5});
  const DeviceTensor labels(store.device(), DType::int32, {count});
  ServedFloats served;
  const std::int64_t launches = epochs * loader.batches_per_epoch() / batches_per_launch;
  for (std::int64_t launch = 0; launch < launches; ++launch) {
    loader.next(images.view(), labels.view());
    served.add(images.view(), labels.view());
  }
  return served;
}

void serves_what_a_loader_serves(Device device) {
  const PackedFixture fixture = whole_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  // 5 batches of 9 per epoch, 6 epochs: 30 batches, in groups of 1, 2, 3 and 5.
  const ServedFloats expected = by_loader(store, whole_batches(9), 6);
  for (const std::int64_t batches_per_launch : {1, 2, 3, 5}) {
    REQUIRE(by_graph_loader(store, whole_batches(9), 6, batches_per_launch) == expected);
  }
}

void ranks_serve_their_shares(Device device) {
  const PackedFixture fixture = whole_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  for (const std::int64_t rank : {0, 1}) {
    LoaderOptions options = whole_batches(9);
    options.rank = rank;
    options.world_size = 2;
    REQUIRE(by_graph_loader(store, options, 2, 1) == by_loader(store, options, 2));
  }
}

void goes_where_it_is_told(Device device) {
  const PackedFixture fixture = whole_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  GraphLoader loader(store, whole_batches(9));
  loader.seek(3, 4);
  const DeviceTensor images(device, DType::float32, {9, 2, 3, 5});
  loader.next(images.view(), {});
  const LoaderState state = loader.state();
  REQUIRE(state.epoch == 4);
  REQUIRE(state.step == 0);
  // A loader with the same options accepts the state, and continues with the same batch.
  Loader plain(store, whole_batches(9));
  plain.restore(state);
  loader.next(images.view(), {});
  for (const Batch& batch : plain.epoch(4)) {
    REQUIRE(DeviceTensor::read<float>(batch.images()) == images.to_host<float>());
    break;
  }
}

}  // namespace

OCTAVO_CONTRACT(serves_what_a_loader_serves, "a graph loader serves the batches of a loader", "[unit][loader]")
OCTAVO_CONTRACT(ranks_serve_their_shares, "a rank's graph loader serves its share", "[unit][loader]")
OCTAVO_CONTRACT(goes_where_it_is_told, "a graph loader seeks to a position and reports it", "[unit][loader]")

TEST_CASE("a graph loader refuses what it cannot repeat", "[unit][loader]") {
  const PackedFixture fixture = whole_fixture(20);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  LoaderOptions options = whole_batches(6);
  REQUIRE_THROWS_WITH(GraphLoader(store, options, 4), ContainsSubstring("an epoch has 3 batches"));
  REQUIRE_THROWS_AS(GraphLoader(store, options, 0), InvalidArgument);
  REQUIRE_THROWS_WITH(GraphLoader(store, options).seek(0, 3), ContainsSubstring("no such batch"));
  const DeviceTensor small(Device::cpu(), DType::float32, {5, 2, 3, 5});
  GraphLoader loader(store, options);
  REQUIRE_THROWS_WITH(loader.next(small.view(), {}), ContainsSubstring("150 elements; expected 180"));
  REQUIRE(loader.state().step == 0);
  options.spec.center = Center::batch;
  REQUIRE_THROWS_WITH(GraphLoader(store, options, 2), ContainsSubstring("own mean"));
  options = whole_batches(6);
  options.drop_last = false;
  REQUIRE_THROWS_WITH(GraphLoader(store, options), ContainsSubstring("drop_last"));
  options = whole_batches(1);
  options.world_size = 2;
  REQUIRE_THROWS_WITH(GraphLoader(store, options), ContainsSubstring("share of a batch is empty"));
}
