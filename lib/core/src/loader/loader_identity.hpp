// What a saved state says about the samples and the values of its batches.
#pragma once

#include <optional>
#include <string>

#include <octavo/loader.hpp>

#include "store/spec/prepared_maps.hpp"
#include "store/stored_samples.hpp"

namespace octavo::loader {

/// Sets the fields of `state` that describe the samples, their normalization and their augmentation.
void identify(LoaderState& state, const store::StoredSamples& samples, const store::PreparedMaps& maps);

/// A digest of everything in `sampling` but the weights, which may change between epochs, of 16 hex digits; empty for
/// the default.
std::string digest(const Sampling& sampling);

/// The first difference between two states other than their positions, in a clause; nothing if there is none.
std::optional<std::string> difference(const LoaderState& saved, const LoaderState& here);

/// The place of `saved`, for the loader whose state is `here`. Throws InvalidArgument, naming the difference, if it is
/// the state of a loader with other samples or another order, or if there is no such place.
LoaderPlace checked_place(const LoaderState& saved, const LoaderState& here);

}  // namespace octavo::loader
