#include <octavo/device.hpp>
#include <octavo/errors.hpp>

#include "backend/backend.hpp"
#include "backend/cuda_devices.hpp"
#include "catch.hpp"
#include "devices.hpp"

using octavo::Device;

TEST_CASE("devices are parsed from their printed form", "[unit][backend]") {
  REQUIRE(Device::parse("cpu") == Device::cpu());
  REQUIRE(Device::parse("cuda") == Device::cuda(0));
  REQUIRE(Device::parse("cuda:3") == Device::cuda(3));
  REQUIRE(to_string(Device::cuda(3)) == "cuda:3");
  REQUIRE(Device::parse("auto") == Device::best());
}

TEST_CASE("an invalid device name is refused", "[unit][backend]") {
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", "CPU"}) {
    REQUIRE_THROWS_AS(Device::parse(text), octavo::InvalidArgument);
  }
}

TEST_CASE("the CPU is the first device of every machine", "[unit][backend]") {
  const auto devices = octavo::list_devices();
  REQUIRE(devices.at(0).device == Device::cpu());
  REQUIRE(devices.at(0).free_bytes.value() > 0);
  REQUIRE(devices.at(0).free_bytes.value() <= devices.at(0).total_bytes);
  REQUIRE(!devices.at(0).problem);
  REQUIRE(octavo::list_backends().at(0) == "cpu");
}

TEST_CASE("an option that names no device means the best one", "[unit][backend]") {
  REQUIRE(octavo::chosen(std::nullopt) == Device::best());
  REQUIRE(octavo::chosen(Device::cuda(3)) == Device::cuda(3));
  REQUIRE(octavo::chosen(Device::cpu()) == Device::cpu());
}

TEST_CASE("a CUDA device or a reason for its absence is available", "[unit][backend]") {
  REQUIRE(octavo::cuda_problem().has_value() == Device::best().is_cpu());
  REQUIRE(octavo::cuda_problem().has_value() == (octavo::list_devices().size() == 1));
  if (octavo::cpu_fallback_reason()) REQUIRE(octavo::cpu_fallback_reason() == octavo::cuda_problem());
}

TEST_CASE("simultaneous users of a device share its backend", "[unit][backend]") {
  auto first = octavo::backend::make_backend(Device::cpu());
  REQUIRE(octavo::backend::make_backend(Device::cpu()) == first);
  const std::weak_ptr<octavo::backend::Backend> gone = first;
  first.reset();
  REQUIRE(gone.expired());  // its threads end with the last user
  REQUIRE(octavo::backend::make_backend(Device::cpu()) != nullptr);
}

TEST_CASE("a missing CUDA device is unavailable and the message names the remedy", "[unit][backend]") {
  REQUIRE_THROWS_AS(octavo::backend::make_backend(Device::cuda(1000)), octavo::Unavailable);
  REQUIRE_THROWS_WITH(octavo::backend::make_backend(Device::cuda(1000)), ContainsSubstring("use the device cpu"));
}

namespace {

void allocation_beyond_memory_fails(Device device) {
  const auto backend = octavo::backend::make_backend(device);
  REQUIRE_THROWS_AS(octavo::backend::DeviceBuffer(backend, std::size_t{1} << 46, "a test"), octavo::OutOfMemory);
  REQUIRE_THROWS_WITH(octavo::backend::DeviceBuffer(backend, std::size_t{1} << 46, "a test"),
                      ContainsSubstring("for a test: only"));
  // The device still works.
  const octavo::backend::DeviceBuffer buffer(backend, 1000, "a test");
  std::vector<std::byte> bytes(1000, std::byte{5}), back(1000);
  backend->copy_to_device(buffer.data(), bytes.data(), 1000, {});
  backend->copy_to_host(back.data(), buffer.data(), 1000, {});
  REQUIRE(back == bytes);
}

}  // namespace

OCTAVO_CONTRACT(allocation_beyond_memory_fails, "an allocation beyond the available memory is a clear error",
                "[unit][backend]")
