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
  std::int64_t batches = 0;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) batches += loader.batches_per_epoch(epoch);
  const std::int64_t launches = batches / batches_per_launch;
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

/// Orders that a launch of their own selects, with batches that are augmented: draws depend on index and epoch.
std::vector<LoaderOptions> selected_orders() {
  std::vector<double> weights(47);
  std::vector<std::int64_t> groups(47);
  for (std::size_t i = 0; i < 47; ++i) {
    weights[i] = static_cast<double>(i % 5);
    groups[i] = static_cast<std::int64_t>(i * i % 4);
  }
  const Sampling samplings[] = {{},
                                {.indices = {46, 3, 5, 7, 11, 30, 31, 32, 8, 9, 1}},
                                {.indices = {46, 3, 5, 7, 11, 30}, .repeats = 3},
                                {.weights = weights, .samples_per_epoch = 64},
                                {.groups = groups, .samples_per_epoch = 50, .repeats = 2}};
  std::vector<LoaderOptions> orders;
  for (const Sampling& sampling : samplings) {
    for (const bool carry_over : {false, true}) {
      for (const bool is_shuffled : {false, true}) {
        LoaderOptions options = whole_batches(9);
        options.shuffle = is_shuffled;
        options.drop_last = !carry_over;
        options.carry_over = carry_over;
        options.sampling = sampling;
        options.spec.augment = {augment::HorizontalFlip{}, augment::RandomErasing{.probability = 0.8}};
        options.spec.augment_seed = 4;
        orders.push_back(options);
      }
    }
  }
  return orders;
}

void selects_samples_like_a_loader(Device device) {
  const PackedFixture fixture = whole_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  for (LoaderOptions options : selected_orders()) {
    INFO("repeats " << options.sampling.repeats << ", weights " << options.sampling.weights.size() << ", groups "
                    << options.sampling.groups.size() << ", carry_over " << options.carry_over << ", shuffle "
                    << to_string(options.shuffle));
    REQUIRE(by_graph_loader(store, options, 6, 1) == by_loader(store, options, 6));
    options.rank = 1;
    options.world_size = 2;
    REQUIRE(by_graph_loader(store, options, 3, 1) == by_loader(store, options, 3));
  }
}

void several_selected_batches_per_launch(Device device) {
  const PackedFixture fixture = whole_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  // Of the epochs of a carrying loader with 47 samples, some have 5 batches of 9, and some have 6.
  LoaderOptions options = whole_batches(9);
  options.drop_last = false;
  options.carry_over = true;
  const auto first_45 = [](ServedFloats served) {
    REQUIRE(served.labels.size() >= 45 * 9);
    served.labels.resize(45 * 9);
    served.values.resize(45 * 9 * 30);
    return served;
  };
  const ServedFloats expected = first_45(by_loader(store, options, 9));
  for (const std::int64_t batches_per_launch : {2, 3, 5}) {
    REQUIRE(first_45(by_graph_loader(store, options, 9, batches_per_launch)) == expected);
  }
}

/// Seeks to the last batch of an epoch. A Loader accepts the state after it, and continues with the same batch.
void seeks_and_continues(GraphLoader& loader, const Store& store, const LoaderOptions& options, std::int64_t epoch) {
  loader.seek(epoch, loader.batches_per_epoch(epoch) - 1);
  const DeviceTensor images(store.device(), DType::float32, {9, 2, 3, 5});
  loader.next(images.view(), {});
  const LoaderState state = loader.state();
  REQUIRE(state.epoch == epoch + 1);
  REQUIRE(state.step == 0);
  Loader plain(store, options);
  plain.restore(LoaderState::from_json(state.to_json()));
  loader.next(images.view(), {});
  for (const Batch& batch : plain.epoch(epoch + 1)) {
    REQUIRE(DeviceTensor::read<float>(batch.images()) == images.to_host<float>());
    break;
  }
}

void goes_where_it_is_told(Device device) {
  const PackedFixture fixture = whole_fixture(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  LoaderOptions options = whole_batches(9);
  GraphLoader loader(store, options);
  REQUIRE(loader.batches_per_epoch(3) == 5);
  seeks_and_continues(loader, store, options, 3);
  // 47 * 4 = 188 = 20 * 9 + 8: epoch 3 has the batches 15 to 19 of all, and epoch 4 has 6.
  options.drop_last = false;
  options.carry_over = true;
  GraphLoader carrying(store, options);
  REQUIRE(carrying.batches_per_epoch(3) == 5);
  REQUIRE(carrying.batches_per_epoch(4) == 6);
  REQUIRE_THROWS_WITH(carrying.seek(3, 5), ContainsSubstring("no such batch"));
  seeks_and_continues(carrying, store, options, 3);
  const LoaderState state = carrying.state();
  options.carry_over = false;
  REQUIRE_THROWS_AS(Loader(store, options).restore(state), InvalidArgument);
}

}  // namespace

OCTAVO_CONTRACT(serves_what_a_loader_serves, "a graph loader serves the batches of a loader", "[unit][loader]")
OCTAVO_CONTRACT(ranks_serve_their_shares, "a rank's graph loader serves its share", "[unit][loader]")
OCTAVO_CONTRACT(selects_samples_like_a_loader, "a graph loader samples like a loader", "[unit][loader][many-batches]")
OCTAVO_CONTRACT(several_selected_batches_per_launch, "a graph loader selects several batches per launch",
                "[unit][loader]")
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
  options.drop_last = true;
  options.sampling = {.weights = std::vector<double>(20, 1.0), .replacement = false};
  REQUIRE_THROWS_WITH(GraphLoader(store, options), ContainsSubstring("without replacement"));
  options.sampling = {};
  options = whole_batches(1);
  options.world_size = 2;
  REQUIRE_THROWS_WITH(GraphLoader(store, options), ContainsSubstring("cannot be shared by 2 ranks"));
}
