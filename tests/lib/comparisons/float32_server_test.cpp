#include "comparisons/float32_server.hpp"

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"
#include "loader/packed_server.hpp"
#include "packed_fixture.hpp"
#include "store/loading.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

void float32_residency_serves_the_same_bits(Device device) {
  const PackedFixture fixture({random_split("train", 77, {2, 3, 5})});
  const LoaderOptions options{.batch_size = 10, .shuffle = true, .seed = 1};
  const auto packed = std::make_shared<loader::PackedServer>(
      store::load_samples(fixture.dataset().split("train"), device, {}), options);
  const auto decoded = std::make_shared<comparisons::Float32Server>(*packed);
  REQUIRE(decoded->resident_bytes() == 77 * 30 * 4 + 77 * 4);
  Loader from_packed = make_loader(packed), from_decoded = make_loader(decoded);
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
