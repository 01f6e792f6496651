// A small split on a device, in each residency.
#pragma once

#include <octavo/store.hpp>

#include "packed_fixture.hpp"

namespace octavo::test {

inline constexpr Residency kServedResidencies[] = {Residency::device, Residency::hybrid, Residency::streamed,
                                                   Residency::window};

/// 40 samples of 2x3 values.
inline PackedFixture small_fixture() { return PackedFixture({random_split("train", 40, {1, 2, 3})}); }

inline Store small_store(const PackedFixture& fixture, Residency residency, Device device = Device::cuda(0)) {
  LoadOptions options;
  options.residency = residency;
  options.thread_count = 2;
  if (residency == Residency::hybrid) options.resident_count = 20;
  if (residency == Residency::window) options.window_samples = 10;
  return Store::load(fixture.dataset().split("train"), device, options);
}

}  // namespace octavo::test
