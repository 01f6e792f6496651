// The way from a Store to the samples that it holds, for the other topics of the library.
#pragma once

#include <memory>

#include <octavo/store.hpp>

#include "store/stored_samples.hpp"

namespace octavo::store {

struct StoreAccess {
  static const std::shared_ptr<const StoredSamples>& samples(const Store& store) { return store.samples_; }
};

}  // namespace octavo::store
