// Bringing a split into a store: which residency, how much of it on the device, and reading that.
#pragma once

#include <memory>

#include <octavo/store.hpp>

#include "store/stored_samples.hpp"

namespace octavo::store {

/// What Store::load() does.
std::shared_ptr<const StoredSamples> load_samples(const Split& split, Device device, const LoadOptions& options);
std::shared_ptr<const StoredSamples> load_samples(const HostSamples& samples, HostMemory memory, Device device,
                                                  const LoadOptions& options);

}  // namespace octavo::store
