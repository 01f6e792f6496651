// Gives the other parts of the library access to the samples of a Store.
#pragma once

#include <memory>

#include <octavo/store.hpp>

#include "store/stored_samples.hpp"

namespace octavo::store {

struct StoreAccess {
  static const std::shared_ptr<const StoredSamples>& samples(const Store& store) { return store.samples_; }
};

}  // namespace octavo::store
