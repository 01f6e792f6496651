// What a file has beyond a dataset file: objects and attributes that another program added.
#pragma once

#include <string>
#include <vector>

#include "hdf5/handles.hpp"

namespace octavo::dataset_file {

/// The names of the objects and attributes that rebuilding does not copy, such as "/train/features" or "/train/images,
/// attribute note"; at most 100. `splits` are the groups of the splits. Call it in a child process.
std::vector<std::string> foreign_extras(hid_t file, const std::vector<std::string>& splits);

}  // namespace octavo::dataset_file
