// Checks the options of every kind of loader.
#pragma once

#include <octavo/loader.hpp>

#include "store/stored_samples.hpp"

namespace octavo::loader {

/// Returns `options` for batches of these samples, with `prefetch` resolved and `shuffle` adapted to their residency.
/// Throws InvalidArgument for invalid options; see Loader.
LoaderOptions checked(LoaderOptions options, const store::StoredSamples& samples);

}  // namespace octavo::loader
