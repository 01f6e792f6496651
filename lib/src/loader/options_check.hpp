// What loaders of every kind demand of their options.
#pragma once

#include <octavo/loader.hpp>

namespace octavo::loader {

/// `options` with `prefetch` filled in. Throws InvalidArgument for options that make no sense; see Loader.
LoaderOptions checked(LoaderOptions options, std::int64_t sample_count, bool is_host);

}  // namespace octavo::loader
