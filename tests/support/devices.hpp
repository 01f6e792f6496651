// The devices that contract suites run on.
#pragma once

#include <octavo/device.hpp>
#include <optional>

namespace octavo::test {

/// The first CUDA device, if this build and machine have one.
inline std::optional<Device> cuda_device() {
  const Device best = Device::best();
  if (best.is_cpu()) return std::nullopt;
  return best;
}

}  // namespace octavo::test

/// Declares the contract `suite(octavo::Device)` as two test cases: on the CPU and on CUDA. Without a device, the
/// second one is counted as skipped.
#define OCTAVO_CONTRACT(suite, sentence, tags)                               \
  TEST_CASE("on the CPU, " sentence, tags) { suite(octavo::Device::cpu()); } \
  TEST_CASE("on CUDA, " sentence, tags "[cuda]") {                           \
    const auto device = octavo::test::cuda_device();                         \
    if (!device) OCTAVO_SKIP("no CUDA device");                              \
    suite(*device);                                                          \
  }
