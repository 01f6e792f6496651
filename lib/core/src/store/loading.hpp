// Loads a split into a store: chooses the residency and the number of resident samples, and reads them.
#pragma once

#include <memory>

#include <octavo/store.hpp>

#include "store/stored_samples.hpp"

namespace octavo::store {

/// Implements Store::load().
std::shared_ptr<const StoredSamples> load_samples(const Split& split, Device device, const LoadOptions& options);
std::shared_ptr<const StoredSamples> load_samples(const HostSamples& samples, HostMemory memory, Device device,
                                                  const LoadOptions& options);

}  // namespace octavo::store
