// The options --cache and --cache-size, for verbs that may read a remote file more than once.
#pragma once

#include <CLI/CLI.hpp>
#include <octavo/dataset.hpp>
#include <string>

namespace octavo::tools {

/// What is given.
struct CacheArguments {
  std::string folder;
  std::string size = "64GiB";
};

/// Adds the options to the verb, in a group of their own.
void add_cache_options(CLI::App& verb, CacheArguments& arguments);

/// Opens a dataset: a local file, or a URL through the cache, if one is given. Throws what remote::open_dataset()
/// throws; InvalidArgument for an invalid size.
Dataset open_with_cache(const std::string& location, const CacheArguments& arguments);

}  // namespace octavo::tools
