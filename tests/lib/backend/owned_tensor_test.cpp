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
  // Empty tensors are allowed.
  REQUIRE(OwnedTensor(DType::float32, {0, 3}, device).view().element_count() == 0);
}

void memory_is_used_again(Device device) {
  TensorPool pool(device);
  std::optional<OwnedTensor> first = pool.take(DType::float32, {4, 25});
  void* const memory = first->view().data;
  const OwnedTensor second = pool.take(DType::float32, {4, 25});
  REQUIRE(second.view().data != memory);  // the first one still exists
  first.reset();
  // Memory is reused only for similar sizes, so a small tensor does not hold the memory of a large one.
  REQUIRE(pool.take(DType::float32, {10}).view().data != memory);
  std::optional<OwnedTensor> third = pool.take(DType::float16, {3, 50});
  REQUIRE(third->view().data == memory);
  REQUIRE(third->view().byte_count() == 300);
  // A tensor may outlive its pool.
  const OwnedTensor last = [&] { return TensorPool(device).take(DType::int64, {7}); }();
  const std::vector<std::int64_t> numbers = {1, 2, 3, 4, 5, 6, 7};
  backend::make_backend(device)->copy_to_device(last.view().data, numbers.data(), 56, {});
  REQUIRE(test::DeviceTensor::read<std::int64_t>(last.view()) == numbers);
}

void elements_are_copied_to_the_host(Device device) {
  const test::DeviceTensor tensor(device, DType::int64, {2});
  const std::vector<std::int64_t> numbers = {1, -2};
  backend::make_backend(device)->copy_to_device(tensor.view().data, numbers.data(), 16, {});
  std::vector<std::int64_t> host(2);
  const auto bytes = std::as_writable_bytes(std::span(host));
  copy_to_host(tensor.view(), bytes);
  REQUIRE(host == numbers);
  REQUIRE_THROWS_AS(copy_to_host(tensor.view(), bytes.first(15)), InvalidArgument);
  copy_to_host(test::DeviceTensor(device, DType::int64, {0}).view(), {});  // nothing to copy
}

}  // namespace

OCTAVO_CONTRACT(memory_is_used_again, "tensors of a pool reuse the memory of destroyed ones", "[unit][backend]")

OCTAVO_CONTRACT(lives_until_its_last_copy, "an owned tensor lives until its last copy is destroyed", "[unit][backend]")

OCTAVO_CONTRACT(elements_are_copied_to_the_host, "the elements of a tensor are copied to the host", "[unit][backend]")

TEST_CASE("an impossible tensor is refused", "[unit][backend]") {
  REQUIRE_THROWS_AS(OwnedTensor(DType::float32, {-1}, Device::cpu()), InvalidArgument);
  REQUIRE_THROWS_AS(OwnedTensor(DType::float32, {1ll << 40, 1ll << 40}, Device::cpu()), InvalidArgument);
  REQUIRE_THROWS_AS(OwnedTensor(DType::float32, {1ll << 50}, Device::cpu()), OutOfMemory);
}
