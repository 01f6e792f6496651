// What loaders of every kind demand of their options.
#pragma once

#include <octavo/loader.hpp>

#include "store/stored_samples.hpp"

namespace octavo::loader {

/// `options` for batches of these samples, with `prefetch` filled in and `shuffle` as their residency can serve it.
/// Throws InvalidArgument for options that make no sense; see Loader.
LoaderOptions checked(LoaderOptions options, const store::StoredSamples& samples);

}  // namespace octavo::loader
