#include <octavo/owned_tensor.hpp>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "device_tensor.hpp"
#include "devices.hpp"

using namespace octavo;

namespace {

void lives_until_its_last_copy(Device device) {
  std::optional<OwnedTensor> first = OwnedTensor(DType::int64, {2, 3}, device);
  const OwnedTensor copy = *first;
  REQUIRE(copy.view().data == first->view().data);
  first.reset();
  REQUIRE(copy.view().byte_count() == 48);
  const auto backend = backend::make_backend(device);
  const std::vector<std::int64_t> numbers = {1, 2, 3, 4, 5, 6};
  backend->copy_to_device(copy.view().data, numbers.data(), 48, {});
  synchronize(device);
  REQUIRE(test::DeviceTensor::read<std::int64_t>(copy.view()) == numbers);
  // Empty ones are tensors too.
  REQUIRE(OwnedTensor(DType::float32, {0, 3}, device).view().element_count() == 0);
}

}  // namespace

OCTAVO_CONTRACT(lives_until_its_last_copy, "an owned tensor lives until its last copy goes", "[unit][backend]")

TEST_CASE("a tensor that cannot be is refused", "[unit][backend]") {
  REQUIRE_THROWS_AS(OwnedTensor(DType::float32, {-1}, Device::cpu()), InvalidArgument);
  REQUIRE_THROWS_AS(OwnedTensor(DType::float32, {1ll << 40, 1ll << 40}, Device::cpu()), InvalidArgument);
  REQUIRE_THROWS_AS(OwnedTensor(DType::float32, {1ll << 50}, Device::cpu()), OutOfMemory);
}
