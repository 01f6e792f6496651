#include <octavo/batch_maker.hpp>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

PackedFixture fixture_of(std::int64_t N) { return PackedFixture({random_split("train", N, {2, 3, 5})}); }

/// Batch `step` of `epoch` from the maker, with labels as int64.
std::vector<float> made(const BatchMaker& maker, Device device, std::int64_t epoch, std::int64_t step,
                        std::vector<std::int64_t>& labels) {
  const std::int64_t B = maker.batch_count(0, step);
  const DeviceTensor images(device, DType::float32, {B, 2, 3, 5});
  const DeviceTensor wide_labels(device, DType::int64, {B});
  maker.make(epoch, step, images.view(), wide_labels.view());
  labels = wide_labels.to_host<std::int64_t>();
  return images.to_host<float>();
}

void makes_what_a_loader_serves(Device device) {
  const PackedFixture fixture = fixture_of(47);
  const Store store = Store::load(fixture.dataset().split("train"), device);
  for (const bool drop_last : {false, true}) {
    for (const std::int64_t rank : {0, 1}) {
      const LoaderOptions options{
          .batch_size = 9, .shuffle = true, .seed = 9, .drop_last = drop_last, .rank = rank, .world_size = 2};
      Loader loader(store, options);
      const BatchMaker maker(store, options);
      REQUIRE(maker.batches_per_epoch() == loader.batches_per_epoch());
      for (const std::int64_t epoch : {0, 3}) {
        for (const Batch& batch : loader.epoch(epoch)) {
          std::vector<std::int64_t> labels;
          REQUIRE(made(maker, device, epoch, batch.step(), labels) == DeviceTensor::read<float>(batch.images()));
          const auto expected = DeviceTensor::read<std::int32_t>(batch.labels());
          REQUIRE(labels == std::vector<std::int64_t>(expected.begin(), expected.end()));
          // The labels of this fixture are the row numbers modulo 10.
          const auto rows = maker.indices(epoch, batch.step());
          REQUIRE(rows.size() == labels.size());
          for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(rows[i] % 10 == labels[i]);
        }
      }
    }
  }
}

/// On the CPU too a stream has its own pace: the room for staged samples is filled by the caller's thread.
void batches_on_a_stream_keep_their_samples(Device device) {
  const PackedFixture fixture({random_split("train", 96, {3, 32, 32})});
  const Split split = fixture.dataset().split("train");
  const Store whole = Store::load(split, Device::cpu());
  const BatchMaker expected_maker(whole, {.batch_size = 8, .shuffle = true});
  for (const Residency residency : {Residency::streamed, Residency::hybrid}) {
    LoadOptions load;
    load.residency = residency;
    if (residency == Residency::hybrid) load.resident_count = 30;
    const Store store = Store::load(split, device, load);
    const auto backend = backend::make_backend(device);
    const backend::OwnedStream stream(backend);
    std::vector<DeviceTensor> images;
    {
      const BatchMaker maker(store, {.batch_size = 8, .shuffle = true});
      for (std::int64_t step = 0; step < 12; ++step) {
        images.emplace_back(device, DType::float32, std::vector<std::int64_t>{8, 3, 32, 32});
        maker.make(0, step, images.back().view(), {}, StreamRef(stream.get()));
      }
    }
    for (std::int64_t step = 0; step < 12; ++step) {
      const DeviceTensor expected(Device::cpu(), DType::float32, {8, 3, 32, 32});
      expected_maker.make(0, step, expected.view());
      REQUIRE(images[static_cast<std::size_t>(step)].to_host<float>(StreamRef(stream.get())) ==
              expected.to_host<float>());
    }
  }
}

void widens_multi_labels(Device device) {
  PlainSplit split = random_split("train", 5, {1, 2, 2});
  split.label_width = 3;
  split.labels = {0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const PackedFixture fixture({split});
  const Store store = Store::load(fixture.dataset().split("train"), device);
  const BatchMaker maker(store, {.batch_size = 5});
  const DeviceTensor images(device, DType::float32, {5, 1, 2, 2});
  const DeviceTensor floats(device, DType::float32, {5, 3}), wide(device, DType::int64, {5, 3});
  maker.make(0, 0, images.view(), floats.view());
  REQUIRE(floats.to_host<float>() == std::vector<float>(split.labels.begin(), split.labels.end()));
  maker.make(0, 0, images.view(), wide.view());
  REQUIRE(wide.to_host<std::int64_t>() == std::vector<std::int64_t>(split.labels.begin(), split.labels.end()));
}

}  // namespace

OCTAVO_CONTRACT(makes_what_a_loader_serves, "a batch maker makes the batches of a loader by step", "[unit][loader]")
OCTAVO_CONTRACT(widens_multi_labels, "multi-labels are written as float32 or int64", "[unit][loader]")
OCTAVO_CONTRACT(batches_on_a_stream_keep_their_samples, "batches on a stream keep the samples that were read for them",
                "[unit][loader]")

TEST_CASE("a batch maker refuses batches and tensors that do not fit", "[unit][loader]") {
  const PackedFixture fixture = fixture_of(20);
  const Store store = Store::load(fixture.dataset().split("train"), Device::cpu());
  const BatchMaker maker(store, {.batch_size = 6});
  const DeviceTensor images(Device::cpu(), DType::float32, {6, 2, 3, 5});
  const DeviceTensor floats(Device::cpu(), DType::float32, {6});
  REQUIRE_THROWS_WITH(maker.make(0, 4, images.view()), ContainsSubstring("no such batch; an epoch has 4 batches"));
  REQUIRE_THROWS_AS(maker.make(0, -1, images.view()), InvalidArgument);
  REQUIRE_THROWS_AS(maker.make(-1, 0, images.view()), InvalidArgument);
  REQUIRE_THROWS_WITH(maker.make(0, 3, images.view()), ContainsSubstring("180 elements; expected 60"));
  // Class numbers are not quantities, so they are not available as floats.
  REQUIRE_THROWS_WITH(maker.make(0, 0, images.view(), floats.view()), ContainsSubstring("int32 or int64"));
}
