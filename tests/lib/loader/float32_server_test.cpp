#include "loader/float32_server.hpp"

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "loader/packed_server.hpp"
#include "packed_fixture.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// A server over packed samples, as a Loader makes it, through a store that only this test keeps.
std::shared_ptr<loader::PackedServer> packed_server(const Split& split, Device device) {
  auto samples = std::make_shared<store::ResidentSamples>();
  samples->backend = backend::make_backend(device);
  samples->sample_count = split.sample_count();
  samples->shape = split.shape();
  samples->labels = split.labels();
  samples->statistics = split.statistics();
  samples->row_stride_bytes = store::row_stride_bytes(samples->shape.values(), samples->backend->is_host());
  samples->codes = backend::DeviceBuffer(
      samples->backend, static_cast<std::size_t>(samples->sample_count * samples->row_stride_bytes), "samples");
  samples->label_words =
      backend::DeviceBuffer(samples->backend, static_cast<std::size_t>(4 * samples->sample_count), "labels");
  samples->error_slot = backend::DeviceBuffer(samples->backend, 4, "slot");
  store::read_samples(split, {}, *samples);
  return std::make_shared<loader::PackedServer>(samples, std::make_shared<store::PreparedMaps>(samples, BatchSpec{}));
}

void float32_residency_serves_the_same_bits(Device device) {
  const PackedFixture fixture({random_split("train", 77, {2, 3, 5})});
  const auto packed = packed_server(fixture.dataset().split("train"), device);
  const auto decoded = std::make_shared<loader::Float32Server>(*packed);
  REQUIRE(decoded->resident_bytes() == 77 * 30 * 4 + 77 * 4);
  const LoaderOptions options{.batch_size = 10, .shuffle = true, .seed = 1};
  Loader from_packed = make_loader(packed, options), from_decoded = make_loader(decoded, options);
  auto place = from_decoded.epoch(4).begin();
  for (const Batch& batch : from_packed.epoch(4)) {
    REQUIRE(DeviceTensor::read<std::uint32_t>(batch.images()) == DeviceTensor::read<std::uint32_t>(place->images()));
    REQUIRE(DeviceTensor::read<std::int32_t>(batch.labels()) == DeviceTensor::read<std::int32_t>(place->labels()));
    ++place;
  }
  REQUIRE(place == std::default_sentinel);
}

}  // namespace

OCTAVO_CONTRACT(float32_residency_serves_the_same_bits, "float32 residency serves the same bits", "[unit][loader]")
